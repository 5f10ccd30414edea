/** The command line cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
