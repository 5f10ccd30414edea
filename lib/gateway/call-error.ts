import { gatewayCodeInfo, GATEWAY_CODES } from '../errors/gateway-codes.js';
import {
  GatewayAnswerError,
  GatewayUnreachableError,
  PaymentRejectedError,
  type PaymentsError,
  type PaymentsErrorDetails,
  PaymentsAuthenticationError,
  PaymentsConfigError,
  PaymentsRateLimitError,
  PaymentOutcomeUnknownError,
} from '../errors/payments-errors.js';
import { type TryReport } from './answer/interpret-try.js';
import { type Verdict } from './decide-after-try.js';
import { type PaymentFamily, type OutcomeEvidence } from '../common/vocabulary.js';

/** The verdict on a failed call. After an abort the caller gets the reason of its signal instead. */
export type FailureVerdict = Exclude<Verdict, { readonly end: 'success' } | { readonly end: 'aborted' }>;

const LISTED_HINT = 'Nothing happened: correct the request, or ask the gateway what this answer means.';
const UNLISTED_HINT =
  'Make the same call again with the same reference, which sends the same key, or ask the gateway. Use a new reference, or list the code in the refusalCodes option, only after the gateway confirmed that it made nothing.';
const ANSWERED_HINT =
  'An earlier try of the call was answered, too, so this refusal does not prove that nothing was made. Make the same call again with the same reference, which sends the same key, or ask the gateway.';

/** The error that a failed call rejects with. */
export function callError(
  verdict: FailureVerdict,
  report: TryReport,
  details: PaymentsErrorDetails,
): PaymentsError {
  const all: PaymentsErrorDetails = {
    ...details,
    httpStatus: report.httpStatus,
    requestId: report.requestId,
    hint: gatewayCodeInfo(report.code)?.hint,
  };
  switch (verdict.end) {
    case 'unknown':
      return outcomeUnknownError(verdict.evidence, report, all);
    case 'rejected':
      return rejectedError(report, verdict.proven, all);
    case 'authentication':
      return authenticationError(report, all);
    case 'rate-limit':
      return rateLimitError(report, all);
    case 'redirected':
      return redirectError(report, all);
    case 'request-changed':
      return requestChangedError(report, all);
    case 'unreachable':
      return unreachableError(report, all);
    case 'unusable-answer':
      return unusableAnswerError(report, all);
  }
}

function rejectedError(
  report: TryReport,
  proven: boolean,
  details: PaymentsErrorDetails,
): PaymentRejectedError {
  const code = codeOf(report);
  const isOpen = !proven && details.reference !== undefined;
  const openHint = gatewayCodeInfo(report.code)?.effect === 'refused' ? ANSWERED_HINT : UNLISTED_HINT;
  const hint = isOpen ? openHint : (gatewayCodeInfo(code)?.hint ?? LISTED_HINT);
  return new PaymentRejectedError(
    code,
    `The gateway refused: ${said(report)}.`,
    { ...details, hint },
    report.errors,
    !isOpen,
  );
}

function authenticationError(report: TryReport, details: PaymentsErrorDetails): PaymentsAuthenticationError {
  const code = report.code ?? (report.httpStatus === 403 ? 'INSUFFICIENT_PERMISSIONS' : 'UNAUTHORIZED');
  return new PaymentsAuthenticationError(
    code,
    `The gateway did not accept the credentials: ${said({ ...report, code })}.`,
    {
      ...details,
      hint: details.hint ?? gatewayCodeInfo(code)?.hint,
    },
  );
}

function rateLimitError(report: TryReport, details: PaymentsErrorDetails): PaymentsRateLimitError {
  const { retryAfterMs } = report;
  const wait =
    retryAfterMs === undefined ? '' : ` It asks to wait ${Math.ceil(retryAfterMs / 1_000)} seconds.`;
  const what =
    report.event === 'held-back'
      ? `${unsent(details)}: the gateway had too many requests (HTTP 429 to an earlier one), so all calls of the account wait.`
      : 'The gateway turned the call away: there were too many requests (HTTP 429).';
  return new PaymentsRateLimitError(retryAfterMs, `${what}${wait}`, {
    ...details,
    hint: 'Make the same call again later, with fewer calls at once.',
  });
}

function redirectError(report: TryReport, details: PaymentsErrorDetails): PaymentsConfigError {
  return new PaymentsConfigError(
    `The gateway redirects (HTTP ${report.httpStatus ?? 0}). It was not followed: that would carry the secret to another address.`,
    {
      ...details,
      hint: 'Set baseUrl to the address where the gateway answers itself: https, the right host, ending in /api/v1.',
    },
  );
}

function requestChangedError({ message }: TryReport, details: PaymentsErrorDetails): PaymentsConfigError {
  return new PaymentsConfigError(
    `${unsent(details)}: an interceptor of the application changed ${message ?? 'a part'} of a payment's request.`,
    {
      ...details,
      hint: 'Let interceptors add headers only, and send requests of their own through another HttpService. For another address set baseUrl, for a proxy the http.proxy option, for a key of your own the idempotencyKey option of the call; what the gateway must know belongs in the request.',
    },
  );
}

function unreachableError(report: TryReport, details: PaymentsErrorDetails): GatewayUnreachableError {
  const code = report.code ?? 'NETWORK_ERROR';
  if (code === 'QUEUE_TIMEOUT') {
    return new GatewayUnreachableError(
      `${unsent(details)}: the call's time was up before it could leave: it waited for other calls of the account, or this process stood still.`,
      {
        ...details,
        hint: 'Make fewer calls at once, raise the `rate` option, or give the call a longer deadlineMs.',
      },
    );
  }
  if (report.event === 'stopped') {
    return new GatewayUnreachableError(
      `${unsent(details)}: the application has stopped, and its connections are closed.`,
      { ...details, hint: 'Make the call before the application stops, or after the next start.' },
    );
  }
  if (code === 'INTERCEPTOR_FAILED') {
    return new GatewayUnreachableError(
      `${unsent(details)}: an interceptor of the application threw, or did not come back in time.`,
      { ...details, hint: "Look at the interceptors that were added to this account's HttpService." },
    );
  }
  return new GatewayUnreachableError(`${unsent(details)}: no connection to the gateway (${code}).`, {
    ...details,
    hint: connectionHint(code),
  });
}

/** Says what earlier tries sent when the last one was not sent. An earlier try may have been answered. */
function unsent({ attempts = [] }: PaymentsErrorDetails): string {
  const sent = attempts.filter(({ phase }) => phase !== 'not-sent');
  if (sent.length === 0) return 'Nothing was sent';
  const isTurnedAway = sent.every(({ httpStatus }) => httpStatus === 429);
  if (!isTurnedAway) return 'The last try was not sent';
  return `The gateway turned ${sent.length} of ${attempts.length} tries away (HTTP 429), and nothing else was sent`;
}

function connectionHint(code: string): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return 'The host name of baseUrl was not found: check it, and the DNS.';
  if (code === 'PROXY_WITHOUT_TUNNEL')
    return 'This version of axios lets a proxy read https requests, the secret in them too: update axios to 1.16.1 or newer, which opens a tunnel.';
  if (code.startsWith('PROXY_ANSWERED_'))
    return 'The proxy opened no way to the gateway: check its address, user and password in http.proxy, and whether it lets the host through.';
  if (code === 'ECONNREFUSED') return 'Nothing listens at baseUrl: check host and port.';
  if (/CERT|SIGNATURE|ALTNAME/.test(code))
    return 'The certificate at baseUrl was not accepted: check the host, or name its CA in NODE_EXTRA_CA_CERTS.';
  return 'Check the network between this machine and baseUrl, then make the same call again.';
}

function unusableAnswerError(report: TryReport, details: PaymentsErrorDetails): GatewayAnswerError {
  // A code's own hint speaks of payments.
  const hint = 'Nothing was changed by this call: make it again.';
  switch (report.event) {
    case 'no-answer':
      return new GatewayAnswerError(
        'NO_ANSWER',
        `The gateway gave no complete answer (${report.code ?? 'NETWORK_ERROR'}).`,
        { ...details, hint },
      );
    case 'bad-answer':
      return new GatewayAnswerError(
        'BAD_ANSWER',
        `The gateway's answer could not be read (${status(report)}).`,
        { ...details, hint },
      );
    case 'server-error':
      return new GatewayAnswerError('SERVER_ERROR', `The gateway failed (${status(report)}).`, {
        ...details,
        hint,
      });
    default:
      return new GatewayAnswerError(codeOf(report), `The gateway failed: ${said(report)}.`, {
        ...details,
        hint,
      });
  }
}

function codeOf(report: TryReport): string {
  return (
    report.code ??
    (Object.keys(report.errors).length > 0 ? 'INVALID_REQUEST' : `HTTP_${report.httpStatus ?? 0}`)
  );
}

function status({ httpStatus }: TryReport): string {
  return `HTTP ${httpStatus ?? 0}`;
}

/** The look-behind tries a run of them once, and not from each of them again: a long run would stop the process. */
const FULL_STOPS = /(?<![.\s])[.\s]+$/;

/** The gateway's answer in one phrase. */
function said(report: TryReport): string {
  const meaning = gatewayCodeInfo(report.code)?.meaning;
  const fields = Object.values(report.errors).flat().join(' ');
  const words = [meaning, fields, report.message].find((text) => text !== undefined && text !== '');
  return `${report.code ?? status(report)}${words === undefined ? '' : `, ${words.replace(FULL_STOPS, '')}`}`;
}

/** The evidence in words. */
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
    'it was written down as refused, planned, or ended without success, and the gateway acknowledged it afterwards',
};

const NEXT: Readonly<Record<PaymentFamily, string>> = {
  collection:
    'Keep the order open and wait for the webhook; do not ask for the money again under another reference.',
  disbursement: 'Look the payout up with the gateway; do not pay again under another reference.',
};

const UNLISTED_CODE_HINT =
  'Ask the gateway what the code means; if it always refuses, add it to the refusalCodes option.';

const CONFLICT_HINT =
  'Ask the gateway what happened to it, then write it down once more with PaymentsJournal.settle().';

/** The hint for the evidence. The hint of a refusal that proves nothing would mislead. */
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
  report: Pick<TryReport, 'httpStatus' | 'code'>,
  details: PaymentsErrorDetails,
): PaymentOutcomeUnknownError {
  const seen = [report.httpStatus === undefined ? undefined : `HTTP ${report.httpStatus}`, report.code]
    .filter((part) => part !== undefined)
    .join(', ');
  // The evidence is about an earlier try then.
  const isUnsent = details.attempts?.at(-1)?.phase === 'not-sent';
  const cause = isUnsent ? `the last try was not sent: ${seen}` : seen;
  const family: PaymentFamily = details.operation?.startsWith('disbursement') ? 'disbursement' : 'collection';
  return new PaymentOutcomeUnknownError(
    evidence,
    `It is not known whether the money moved: ${SEEN[evidence]}${seen === '' ? '' : ` (${cause})`}.`,
    { ...details, hint: hintFor(evidence, family) },
  );
}
