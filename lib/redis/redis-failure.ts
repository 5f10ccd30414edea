import { failureLabel } from '../errors/failure-label.js';
import { PaymentsStorageError } from '../errors/payments-storage.error.js';

/** The code that a server's refusal begins with: `OOM`, `READONLY`, `NOAUTH`. */
const REFUSAL = /^[A-Z]{2,20}(?= )/;

/**
 * An error of the client without what it repeats: its message may quote the arguments, and its `command` holds them,
 * names and phone numbers included.
 */
export function redisFailure(error: unknown): PaymentsStorageError {
  return new PaymentsStorageError(`Redis did not carry out an operation: ${reasonOf(error)}.`);
}

/** Whether the server does not know a script by its name. */
export function isUnknownScript(error: unknown): boolean {
  return refusalOf(error) === 'NOSCRIPT';
}

function reasonOf(error: unknown): string {
  const refusal = refusalOf(error);
  return refusal === undefined ? failureLabel(error) : `it answered ${refusal}`;
}

function refusalOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return undefined;
  return REFUSAL.exec(error.message)?.[0];
}
