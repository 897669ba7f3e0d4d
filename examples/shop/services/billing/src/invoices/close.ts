import type { Pool } from "pg";

/** The cut-off is noon on the 25th in the customer's own time zone. */
export function closingDate(year: number, month: number, timeZone: string): Date {
  const noon = new Date(Date.UTC(year, month - 1, 25, 12));
  const local = new Date(noon.toLocaleString("en-US", { timeZone }));
  return new Date(noon.getTime() - (local.getTime() - noon.getTime()));
}

export async function closeMonth(db: Pool, customer: string, until: Date) {
  await db.query("select close_invoice($1, $2)", [customer, until]);
}
