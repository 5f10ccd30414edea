/** What an error of somebody else's code says, for a log line. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : 'a value that is not an Error was thrown';
}
