import { quoted } from '../../common/quoted.js';
import { PaymentsError } from '../../errors/payments-errors.js';
import { type BatchLine } from '../../storage/batch-store.js';

/**
 * Every report would continue to call the line refused.
 *
 * @throws PaymentsError with the code `LINE_NOT_SETTLED` if a line that was refused is to have failed.
 */
export function refuseRefused(
  { key, state }: Pick<BatchLine, 'key' | 'state'>,
  outcome: 'paid' | 'failed',
): void {
  if (state === 'refused' && outcome === 'failed')
    throw notSettled(`The line ${quoted(key)} was refused, which moved no money`);
}

/** The error for a line whose end cannot be written down. */
export function notSettled(problem: string): PaymentsError {
  return new PaymentsError('LINE_NOT_SETTLED', `${problem}, so no outcome was written down.`);
}
