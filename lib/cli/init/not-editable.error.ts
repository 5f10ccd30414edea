/** `init` cannot change a file safely, so it does not. The message is the second half of a sentence. */
export class NotEditableError extends Error {
  override readonly name = 'NotEditableError';
}
