/**
 * A file that is not changed because it cannot be surely changed right; the message is the second half of a
 * sentence.
 */
export class NotEditableError extends Error {
  override readonly name = 'NotEditableError';
}
