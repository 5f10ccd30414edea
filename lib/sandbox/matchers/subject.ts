import { isHolder } from '../../common/json-object.js';
import { type ReplacedPayment } from '../core/replaced-payment.js';
import { type SandboxOperation } from '../core/operation-name.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { type SandboxMerchant } from '../handle/sandbox-merchant.js';

/** The argument of `expect(…)`: a sandbox or one of its merchants. */
export type MatcherSubject = Pick<
  SandboxMerchant,
  'payments' | 'payouts' | 'requests' | 'deliveries' | 'explain'
> & {
  // The published declaration of a merchant omits these.
  replacedPayments(): readonly ReplacedPayment[];
  droppedRequests(operation: SandboxOperation): number;
};

/** @throws PaymentsConfigError if `expect(…)` got something else. */
export function subjectOf(received: unknown): MatcherSubject {
  if (isHolder(received) && 'explain' in received && 'deliveries' in received) {
    return received as MatcherSubject;
  }
  throw new PaymentsConfigError(
    'The sandbox matchers need a sandbox: write expect(sandbox) or expect(sandbox.merchant(…)).',
  );
}
