const digits: Record<string, number> = { EUR: 2, USD: 2, JPY: 0 };

export function formatCents(amount: number, currency: string, lang = "de"): string {
  const places = digits[currency] ?? 2;
  return new Intl.NumberFormat(lang, { style: "currency", currency }).format(amount / 10 ** places);
}
