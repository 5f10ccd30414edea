import { didYouMean } from '../../common/closest-word.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { SANDBOX_OPERATIONS, type SandboxOperation } from './operation-name.js';

/** @throws PaymentsConfigError if the gateway has no such operation. */
export function assertOperation(operation: SandboxOperation): void {
  if (SANDBOX_OPERATIONS.includes(operation)) return;
  throw new PaymentsConfigError(
    `The gateway has no operation ${JSON.stringify(operation)}: write one of ${SANDBOX_OPERATIONS.join(', ')}.` +
      didYouMean(String(operation), SANDBOX_OPERATIONS),
  );
}
