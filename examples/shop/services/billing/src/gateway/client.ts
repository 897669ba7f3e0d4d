import type { Cents } from "../money.js";

export interface ChargeRequest {
  orderId: string;
  amount: Cents;
  currency: string;
  /** Sent as Idempotency-Key; see charge.ts for when it must be stored. */
  key: string;
}

export class GatewayTimeout extends Error {}

export class GatewayClient {
  constructor(private readonly baseUrl: string, private readonly token: string) {}

  async charge(req: ChargeRequest): Promise<{ id: string; state: "paid" | "declined" }> {
    const res = await fetch(`${this.baseUrl}/charges`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.token}`, "idempotency-key": req.key },
      body: JSON.stringify({ order: req.orderId, amount: req.amount, currency: req.currency }),
      signal: AbortSignal.timeout(8000),
    }).catch((err) => {
      throw err.name === "TimeoutError" ? new GatewayTimeout(req.orderId) : err;
    });
    if (!res.ok) throw new Error(`gateway answered ${res.status}`);
    return (await res.json()) as { id: string; state: "paid" | "declined" };
  }
}
