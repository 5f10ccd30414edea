/** No dot, because a dot separates the run's name from the row's reference, and each pair must be unique. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Whether a text may name a run or a row. */
export function isName(text: string): boolean {
  return NAME.test(text);
}

/** The payment's reference at the gateway: the same row of the same run always has the same one. */
export function paymentReference(run: string, reference: string): string {
  return `${run}.${reference}`;
}
