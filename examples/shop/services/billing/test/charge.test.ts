import assert from "node:assert/strict";
import test from "node:test";
import { GatewayTimeout } from "../src/gateway/client.js";
import { chargeOrder } from "../src/charge.js";
import { toCents } from "../src/money.js";

test("a retried charge sends the key of the first attempt", async () => {
  const keys: string[] = [];
  const db = { query: async () => ({ rows: [{ key: "k-1" }] }) };
  const gateway = {
    charge: async ({ key }: { key: string }) => {
      keys.push(key);
      if (keys.length < 2) throw new GatewayTimeout("o-1");
      return { id: "c-1", state: "paid" as const };
    },
  };
  await chargeOrder(db as never, gateway as never, "o-1", toCents("11.90", "EUR"), "EUR");
  assert.deepEqual(keys, ["k-1", "k-1"]);
});
