import { type SandboxDelivery, type SandboxPayment, type SandboxPayout } from '../control/records.js';
import { type SandboxRequest } from '../core/request-journal.js';
import { PaymentsConfigError } from '../../errors/payments-errors.js';

/** The argument of `expect(…)`: a sandbox or one of its merchants. */
export interface MatcherSubject {
  payments(): readonly SandboxPayment[];
  payouts(): readonly SandboxPayout[];
  requests(): readonly SandboxRequest[];
  deliveries(): readonly SandboxDelivery[];
  explain(reference: string): string;
}

/** @throws PaymentsConfigError if `expect(…)` got something else. */
export function subjectOf(received: unknown): MatcherSubject {
  if (
    typeof received === 'object' &&
    received !== null &&
    'explain' in received &&
    'deliveries' in received
  ) {
    return received as MatcherSubject;
  }
  throw new PaymentsConfigError(
    'The sandbox matchers need a sandbox: write expect(sandbox) or expect(sandbox.merchant(…)).',
  );
}
