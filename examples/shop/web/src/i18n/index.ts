import de from "./messages.de.json";
import ja from "./messages.ja.json";

const tables: Record<string, Record<string, string>> = { de, ja };

export function t(key: string, lang = document.documentElement.lang): string {
  return tables[lang]?.[key] ?? key;
}
