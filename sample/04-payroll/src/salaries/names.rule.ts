/** No dot: it stands between the name of a run and a row's own reference, and no two pairs may read the same. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Whether a text may name a run or a row. */
export function isName(text: string): boolean {
  return NAME.test(text);
}

/** What a payment is known by at the gateway: the same row of the same run always has the same one. */
export function paymentReference(run: string, reference: string): string {
  return `${run}.${reference}`;
}
