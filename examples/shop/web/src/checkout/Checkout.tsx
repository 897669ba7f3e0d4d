import { useState } from "react";
import { t } from "../i18n";
import { formatCents } from "../lib/format";
import { useCart } from "./useCart";

export function Checkout() {
  const cart = useCart();
  const [quantity, setQuantity] = useState("1");
  return (
    <form onSubmit={cart.submit}>
      <label>
        {t("checkout.quantity")}
        <input inputMode="numeric" pattern="[0-9]*" value={quantity} onChange={(e) => setQuantity(e.target.value)} />
      </label>
      <output>{formatCents(cart.total, cart.currency)}</output>
      <button disabled={cart.pending}>{t("checkout.pay")}</button>
    </form>
  );
}
