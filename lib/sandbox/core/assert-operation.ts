import { didYouMean } from '../../common/closest-word.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { SANDBOX_OPERATIONS, type SandboxOperation } from './operation-name.js';

/** @throws PaymentsConfigError if the gateway has no such operation. */
export function assertOperation(operation: string): asserts operation is SandboxOperation {
  const known: readonly string[] = SANDBOX_OPERATIONS;
  if (known.includes(operation)) return;
  throw new PaymentsConfigError(
    `The gateway has no operation ${JSON.stringify(operation)}: write one of ${SANDBOX_OPERATIONS.join(', ')}.` +
      didYouMean(operation, SANDBOX_OPERATIONS),
  );
}
