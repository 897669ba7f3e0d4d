/** An amount in the smallest unit of its currency: 1190 is 11.90 EUR, 1190 JPY is 1190 yen. */
export type Cents = number & { readonly unit: "cents" };

const digits: Record<string, number> = { EUR: 2, USD: 2, JPY: 0 };

export function toCents(text: string, currency: string): Cents {
  const places = digits[currency];
  const match = /^(\d+)(?:[.,](\d+))?$/.exec(text.trim());
  if (places === undefined || !match) throw new Error(`not an amount: ${text} ${currency}`);
  const fraction = (match[2] ?? "").padEnd(places, "0");
  if (fraction.length > places) throw new Error(`too many digits: ${text} ${currency}`);
  return Number(match[1] + fraction) as Cents;
}

export function sum(amounts: Cents[]): Cents {
  return amounts.reduce((a, b) => a + b, 0) as Cents;
}
