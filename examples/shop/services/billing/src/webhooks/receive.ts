import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { Pool } from "pg";

interface GatewayEvent {
  id: string;
  charge: string;
  state: "pending" | "paid" | "declined" | "refunded";
  sequence: number;
}

export function webhooks(app: FastifyInstance, db: Pool, secret: string) {
  app.post("/webhooks/gateway", { config: { rawBody: true } }, async (req, reply) => {
    const expected = createHmac("sha256", secret).update(req.rawBody!).digest();
    const given = Buffer.from(String(req.headers["x-signature"] ?? ""), "hex");
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return reply.code(401).send();
    const event = req.body as GatewayEvent;
    await db.query(
      `update charges set state = $2, sequence = $3 where id = $1 and sequence < $3`,
      [event.charge, event.state, event.sequence],
    );
    return reply.code(204).send();
  });
}
