/** The fields of the gateway's records that hold personal data, or whatever the merchant sent. */
const PERSONAL = new Set([
  'account_name',
  'account_number',
  'customer_email',
  'customer_name',
  'customer_phone',
  'metadata',
  'phone',
  'recipient_name',
  'recipient_phone',
  'remarks',
]);

/** An answer's JSON with `…` in place of personal data. Text that is no JSON is left out: null. */
export function withoutPersons(body: string): string | null {
  try {
    const masked: unknown = JSON.parse(body, (name, value: unknown) =>
      PERSONAL.has(name) && !Array.isArray(value) ? '…' : value,
    );
    return JSON.stringify(masked);
  } catch {
    return null;
  }
}
