/**
 * Why an answer refuses its call: its messages by field, else its `message`. Null if it refuses nothing: the
 * envelope of a success has `status: "success"`.
 */
export function refusalReason({ status, message, errors }: Readonly<Record<string, unknown>>): string | null {
  if (status === 'success') return null;
  const ofFields = typeof errors === 'object' && errors !== null ? Object.values(errors).flat() : [];
  if (ofFields.length > 0) return ofFields.join(' ');
  return typeof message === 'string' ? message : null;
}
