import type { Pool } from "pg";
import type { Cents } from "./money.js";

/** Refunds are queued, not sent: the gateway allows them only outside its settlement window. */
export async function requestRefund(db: Pool, chargeId: string, amount: Cents, reason: string) {
  const { rows } = await db.query("select amount, refunded from charges where id = $1 for update", [chargeId]);
  if (rows.length === 0) throw new Error(`no charge ${chargeId}`);
  if (rows[0].refunded + amount > rows[0].amount) throw new Error("refund is larger than what is left of the charge");
  await db.query("insert into outbox (topic, payload) values ('refund.requested', $1)", [
    JSON.stringify({ chargeId, amount, reason }),
  ]);
}
