/** The reference of a line's payment: the same line of the same batch always has the same one. */
export function paymentReference(batch: string, key: string): string {
  return `${batch}.${key}`;
}
