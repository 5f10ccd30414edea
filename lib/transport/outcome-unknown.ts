import { type PaymentFamily } from '../common/operations.js';
import { type OutcomeEvidence } from '../common/outcome-evidence.js';
import { GATEWAY_CODES } from '../errors/gateway-codes.js';
import { PaymentOutcomeUnknownError } from '../errors/payment-outcome-unknown.error.js';
import { type PaymentsErrorDetails } from '../errors/payments.error.js';
import { type AttemptReport } from './call-report.js';

/** What was seen, for a merchant who reads a log. */
const SEEN: Readonly<Record<OutcomeEvidence, string>> = {
  'no-answer': 'the request was sent and no complete answer came',
  'bad-answer': 'the request was sent and its answer says nothing for certain',
  'server-error': 'the gateway failed after it had the request',
  'provider-error': 'the provider failed at an unknown moment',
  'echo-mismatch': 'the answer names another reference, amount, currency, account or phone than was sent',
  'duplicate-request':
    'the gateway has processed this idempotency key before, so the payment was most likely accepted',
  'duplicate-reference': 'the gateway already holds a payment under this reference',
  'unlisted-code': 'the gateway answered with a code that does not say whether the payment was made',
  'refused-after-ambiguity':
    'an earlier try of this call may have arrived, so the refusal of a later one proves nothing',
  aborted: 'the call was aborted after the request was sent',
  'in-flight': 'the same payment is being made elsewhere right now',
  interrupted: 'the process ended while the payment was under way',
  conflict:
    'it was written down as refused, or as ended without success, and the gateway acknowledged it afterwards',
};

const NEXT: Readonly<Record<PaymentFamily, string>> = {
  collection:
    'Keep the order open and wait for the webhook; do not ask for the money again under another reference.',
  disbursement: 'Look the payout up with the gateway; do not pay again under another reference.',
};

const UNLISTED_CODE_HINT =
  'Ask the gateway what the code means; if it always refuses, add it to the refusalCodes option.';

const CONFLICT_HINT =
  'Ask the gateway what came of it, then write it down once more with PaymentsJournal.settle().';

/** Only what the evidence says counts: a refusal's own hint would mislead where the refusal proves nothing. */
function hintFor(evidence: OutcomeEvidence, family: PaymentFamily): string {
  switch (evidence) {
    case 'duplicate-request':
      return GATEWAY_CODES.DUPLICATE_REQUEST.hint;
    case 'duplicate-reference':
      return GATEWAY_CODES.DUPLICATE_REFERENCE.hint;
    case 'provider-error':
      return GATEWAY_CODES.PROVIDER_ERROR.hint;
    case 'unlisted-code':
      return `${NEXT[family]} ${UNLISTED_CODE_HINT}`;
    case 'conflict':
      return `${NEXT[family]} ${CONFLICT_HINT}`;
    default:
      return NEXT[family];
  }
}

/** The error for a payment whose outcome is not known. */
export function outcomeUnknownError(
  evidence: OutcomeEvidence,
  report: Pick<AttemptReport, 'httpStatus' | 'code'>,
  details: PaymentsErrorDetails,
): PaymentOutcomeUnknownError {
  const seen = [report.httpStatus === undefined ? undefined : `HTTP ${report.httpStatus}`, report.code]
    .filter((part) => part !== undefined)
    .join(', ');
  const family: PaymentFamily = details.operation?.startsWith('disbursement') ? 'disbursement' : 'collection';
  return new PaymentOutcomeUnknownError(
    evidence,
    `It is not known whether the money moved: ${SEEN[evidence]}${seen === '' ? '' : ` (${seen})`}.`,
    { ...details, hint: hintFor(evidence, family) },
  );
}
