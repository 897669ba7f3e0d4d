import { t } from "../i18n";

export function ProductTable({ rows = [] as { sku: string; title: string }[] }) {
  return (
    <table>
      <caption>{t("products.caption")}</caption>
      <tbody>
        {rows.map((r) => (
          <tr key={r.sku}>
            <td>{r.title}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
