import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { GatewayClient, GatewayTimeout } from "./gateway/client.js";
import type { Cents } from "./money.js";

const attempts = 3;

export async function chargeOrder(db: Pool, gateway: GatewayClient, orderId: string, amount: Cents, currency: string) {
  const { rows } = await db.query(
    `insert into charge_keys (order_id, key) values ($1, $2)
     on conflict (order_id) do update set key = charge_keys.key returning key`,
    [orderId, randomUUID()],
  );
  for (let n = 1; ; n++) {
    try {
      return await gateway.charge({ orderId, amount, currency, key: rows[0].key });
    } catch (err) {
      if (!(err instanceof GatewayTimeout) || n === attempts) throw err;
      await new Promise((r) => setTimeout(r, 250 * 2 ** n));
    }
  }
}
