import { isPaymentsError } from './payments.error.js';

const TOKEN = /^[\w.:-]{1,64}$/;

/**
 * What the log and a message say of an error that may be a database's: its name and its code. The message of such an
 * error may repeat what was to be stored.
 */
export function failureLabel(error: unknown): string {
  if (isPaymentsError(error)) return `${error.name}: ${error.message}`;
  if (!(error instanceof Error)) return 'a value that is not an Error was thrown';
  const code = 'code' in error ? String(error.code) : '';
  return `${TOKEN.test(error.name) ? error.name : 'Error'}${TOKEN.test(code) ? ` (${code})` : ''}`;
}
