import { type PaymentsError } from './payments.error.js';

/** HTTP status that answers one of our errors, and the seconds to wait where a retry makes sense. */
export interface ErrorAnswer {
  readonly status: number;
  readonly retryAfterSeconds?: number;
}

/**
 * Decides which status answers which error. Error classes are told apart by name, which holds across package copies.
 *
 * The gateway's 401 and 403 become 502: the caller of the application did nothing wrong.
 */
export function answerFor(error: PaymentsError): ErrorAnswer {
  switch (error.name) {
    case 'PaymentsValidationError':
      return { status: 400 };
    case 'PaymentRejectedError':
      return { status: REFUSED_STATUS.get(error.code) ?? 422 };
    case 'ReferenceReusedError':
      return { status: 409 };
    case 'PaymentsAuthenticationError':
    case 'GatewayAnswerError':
      return { status: 502 };
    case 'PaymentsRateLimitError':
      return { status: 503, retryAfterSeconds: secondsOf(error) };
    case 'WebhookRefusedError':
      return { status: refusedWith(error) };
    case 'GatewayUnreachableError':
    case 'PaymentsStorageError':
      return { status: 503 };
    case 'PaymentOutcomeUnknownError':
      return { status: DUPLICATE_EVIDENCE.has(evidenceOf(error)) ? 409 : 504 };
    default:
      return { status: 500 };
  }
}

const REFUSED_STATUS: ReadonlyMap<string, number> = new Map([
  ['ACCOUNT_NOT_FOUND', 404],
  ['INSUFFICIENT_BALANCE', 402],
]);

const DUPLICATE_EVIDENCE: ReadonlySet<unknown> = new Set(['duplicate-request', 'duplicate-reference']);

function evidenceOf(error: PaymentsError): unknown {
  return 'evidence' in error ? error.evidence : undefined;
}

function refusedWith(error: PaymentsError): number {
  return 'status' in error && typeof error.status === 'number' ? error.status : 401;
}

function secondsOf(error: PaymentsError): number {
  const wait = 'retryAfterMs' in error && typeof error.retryAfterMs === 'number' ? error.retryAfterMs : 1_000;
  return Math.max(1, Math.ceil(wait / 1_000));
}
