import { describe, expect, it } from 'vitest';
import { callError } from '../../../lib/gateway/call-error.js';

type Verdict = Parameters<typeof callError>[0];
type Report = Partial<Parameters<typeof callError>[1]>;

const PAYOUT = { operation: 'disbursement.bank', reference: 'order-1' } as const;
const BALANCE = { operation: 'wallet.balance' } as const;

/** What a merchant sees of an error: all texts, and the answer to "may the money have moved?". */
function seen(end: Verdict, report: Report, details: object = PAYOUT): readonly unknown[] {
  const error = callError(end, { event: 'refused', errors: {}, ...report } as never, details);
  return [error.name, error.code, error.message, error.hint, error.mayHaveBeenProcessed];
}

const REFUSED = { end: 'rejected', proven: true } as const;
const OPEN = { end: 'rejected', proven: false } as const;

describe('the texts of an error', () => {
  it('name a listed refusal, its meaning and what to correct', () => {
    expect(seen(REFUSED, { code: 'INVALID_ACCOUNT', httpStatus: 422 })).toMatchInlineSnapshot(`
      [
        "PaymentRejectedError",
        "INVALID_ACCOUNT",
        "The gateway refused: INVALID_ACCOUNT, the account number is invalid.",
        "Ask the recipient for the account number again and verify it with NameLookupService.lookup().",
        false,
      ]
    `);
  });

  it('end with one full stop, whatever a gateway ends its text with', () => {
    const [, , message] = seen(OPEN, { httpStatus: 404, message: 'No. such .thing . .\n' });
    expect(message).toBe('The gateway refused: HTTP 404, No. such .thing.');
    expect(seen(OPEN, { httpStatus: 404, message: ' ...' })[2]).toBe('The gateway refused: HTTP 404, .');
  });

  // A look at every full stop from every full stop would take many minutes, and stop the whole process meanwhile.
  it('hold an endless row of full stops', () => {
    const dots = '. '.repeat(1_000_000);
    const [, , message] = seen(OPEN, { httpStatus: 404, message: `No${dots}account${dots}` });
    expect(message).toBe(`The gateway refused: HTTP 404, No${dots}account.`);
  });

  it("name a refusal by the merchant's own code, which the package has no hint for", () => {
    expect(seen(REFUSED, { code: 'LIMIT_REACHED', httpStatus: 422 })).toMatchInlineSnapshot(`
      [
        "PaymentRejectedError",
        "LIMIT_REACHED",
        "The gateway refused: LIMIT_REACHED.",
        "Nothing happened: correct the request, or ask the gateway what this answer means.",
        false,
      ]
    `);
  });

  it('count a refusal by field messages as an invalid request', () => {
    expect(seen(REFUSED, { httpStatus: 422, errors: { amount: ['is too small.'] } })).toMatchInlineSnapshot(`
      [
        "PaymentRejectedError",
        "INVALID_REQUEST",
        "The gateway refused: HTTP 422, is too small.",
        "Compare the request with the field rules; \`errors\` names the fields if the gateway did.",
        false,
      ]
    `);
  });

  it('name the status of a refusal without code and without field messages', () => {
    expect(seen(OPEN, { httpStatus: 404 })).toMatchInlineSnapshot(`
      [
        "PaymentRejectedError",
        "HTTP_404",
        "The gateway refused: HTTP 404.",
        "Make the same call again with the same reference, which sends the same key, or ask the gateway. Use a new reference, or list the code in the refusalCodes option, only after the gateway confirmed that it made nothing.",
        false,
      ]
    `);
  });

  it('name a refusal that has not even a status', () => {
    expect(seen(OPEN, {})).toMatchInlineSnapshot(`
      [
        "PaymentRejectedError",
        "HTTP_0",
        "The gateway refused: HTTP 0.",
        "Make the same call again with the same reference, which sends the same key, or ask the gateway. Use a new reference, or list the code in the refusalCodes option, only after the gateway confirmed that it made nothing.",
        false,
      ]
    `);
  });

  it('advise the same reference after an unlisted code of a payment', () => {
    expect(seen(OPEN, { code: 'LIMIT_REACHED', httpStatus: 422 })).toMatchInlineSnapshot(`
      [
        "PaymentRejectedError",
        "LIMIT_REACHED",
        "The gateway refused: LIMIT_REACHED.",
        "Make the same call again with the same reference, which sends the same key, or ask the gateway. Use a new reference, or list the code in the refusalCodes option, only after the gateway confirmed that it made nothing.",
        false,
      ]
    `);
  });

  it('advise the same reference after a listed refusal of a later try', () => {
    expect(seen(OPEN, { code: 'INVALID_ACCOUNT', httpStatus: 422 })).toMatchInlineSnapshot(`
      [
        "PaymentRejectedError",
        "INVALID_ACCOUNT",
        "The gateway refused: INVALID_ACCOUNT, the account number is invalid.",
        "An earlier try of the call was answered, too, so this refusal does not prove that nothing was made. Make the same call again with the same reference, which sends the same key, or ask the gateway.",
        false,
      ]
    `);
  });

  it('advise no reference after an unlisted code of a read', () => {
    expect(seen(OPEN, { code: 'ODD', httpStatus: 422 }, BALANCE)).toMatchInlineSnapshot(`
      [
        "PaymentRejectedError",
        "ODD",
        "The gateway refused: ODD.",
        "Nothing happened: correct the request, or ask the gateway what this answer means.",
        false,
      ]
    `);
  });

  it('name missing credentials by the status, if the answer has no code', () => {
    expect(seen({ end: 'authentication' }, { httpStatus: 401 })).toMatchInlineSnapshot(`
      [
        "PaymentsAuthenticationError",
        "UNAUTHORIZED",
        "The gateway did not accept the credentials: UNAUTHORIZED, invalid or missing credentials.",
        "Check apiKey and apiSecret: both from the same page of the portal, test keys for the sandbox, live keys for production.",
        false,
      ]
    `);
    expect(seen({ end: 'authentication' }, { httpStatus: 403 })).toMatchInlineSnapshot(`
      [
        "PaymentsAuthenticationError",
        "INSUFFICIENT_PERMISSIONS",
        "The gateway did not accept the credentials: INSUFFICIENT_PERMISSIONS, access denied.",
        "Ask the gateway to allow this operation for your keys.",
        false,
      ]
    `);
    expect(seen({ end: 'authentication' }, { httpStatus: 403, code: 'UNAUTHORIZED' })).toMatchInlineSnapshot(`
      [
        "PaymentsAuthenticationError",
        "UNAUTHORIZED",
        "The gateway did not accept the credentials: UNAUTHORIZED, invalid or missing credentials.",
        "Check apiKey and apiSecret: both from the same page of the portal, test keys for the sandbox, live keys for production.",
        false,
      ]
    `);
  });

  it('tell how long the gateway asks to wait, in full seconds', () => {
    const end = { end: 'rate-limit' } as const;
    expect(seen(end, { event: 'rate-limited', httpStatus: 429 })).toMatchInlineSnapshot(`
      [
        "PaymentsRateLimitError",
        "RATE_LIMITED",
        "The gateway turned the call away: there were too many requests (HTTP 429).",
        "Make the same call again later, with fewer calls at once.",
        false,
      ]
    `);
    expect(seen(end, { event: 'rate-limited', httpStatus: 429, retryAfterMs: 1_001 })).toMatchInlineSnapshot(`
      [
        "PaymentsRateLimitError",
        "RATE_LIMITED",
        "The gateway turned the call away: there were too many requests (HTTP 429). It asks to wait 2 seconds.",
        "Make the same call again later, with fewer calls at once.",
        false,
      ]
    `);
    expect(seen(end, { event: 'held-back', retryAfterMs: 3_000 })).toMatchInlineSnapshot(`
      [
        "PaymentsRateLimitError",
        "RATE_LIMITED",
        "Nothing was sent: the gateway had too many requests (HTTP 429 to an earlier one), so all calls of the account wait. It asks to wait 3 seconds.",
        "Make the same call again later, with fewer calls at once.",
        false,
      ]
    `);
  });

  it('name the status of a redirect, and the option to correct', () => {
    expect(seen({ end: 'redirected' }, { event: 'redirect', httpStatus: 302 })).toMatchInlineSnapshot(`
      [
        "PaymentsConfigError",
        "CONFIG_INVALID",
        "The gateway redirects (HTTP 302). It was not followed: that would carry the secret to another address.",
        "Set baseUrl to the address where the gateway answers itself: https, the right host, ending in /api/v1.",
        false,
      ]
    `);
    expect(seen({ end: 'redirected' }, { event: 'redirect' })).toMatchInlineSnapshot(`
      [
        "PaymentsConfigError",
        "CONFIG_INVALID",
        "The gateway redirects (HTTP 0). It was not followed: that would carry the secret to another address.",
        "Set baseUrl to the address where the gateway answers itself: https, the right host, ending in /api/v1.",
        false,
      ]
    `);
  });

  it('name what an interceptor changed', () => {
    const end = { end: 'request-changed' } as const;
    expect(seen(end, { event: 'request-changed', message: 'the body' })).toMatchInlineSnapshot(`
      [
        "PaymentsConfigError",
        "CONFIG_INVALID",
        "Nothing was sent: an interceptor of the application changed the body of a payment's request.",
        "Let interceptors add headers only, and send requests of their own through another HttpService. For another address set baseUrl, for a proxy the http.proxy option, for a key of your own the idempotencyKey option of the call; what the gateway must know belongs in the request.",
        false,
      ]
    `);
    expect(seen(end, { event: 'request-changed' })).toMatchInlineSnapshot(`
      [
        "PaymentsConfigError",
        "CONFIG_INVALID",
        "Nothing was sent: an interceptor of the application changed a part of a payment's request.",
        "Let interceptors add headers only, and send requests of their own through another HttpService. For another address set baseUrl, for a proxy the http.proxy option, for a key of your own the idempotencyKey option of the call; what the gateway must know belongs in the request.",
        false,
      ]
    `);
  });

  it('name why no connection came about', () => {
    const end = { end: 'unreachable' } as const;
    expect(seen(end, { event: 'not-sent' })).toMatchInlineSnapshot(`
      [
        "GatewayUnreachableError",
        "GATEWAY_UNREACHABLE",
        "Nothing was sent: no connection to the gateway (NETWORK_ERROR).",
        "Check the network between this machine and baseUrl, then make the same call again.",
        false,
      ]
    `);
    expect(seen(end, { event: 'not-sent', code: 'QUEUE_TIMEOUT' })).toMatchInlineSnapshot(`
      [
        "GatewayUnreachableError",
        "GATEWAY_UNREACHABLE",
        "Nothing was sent: the call's time was up before it could leave: it waited for other calls of the account, or this process stood still.",
        "Make fewer calls at once, raise the \`rate\` option, or give the call a longer deadlineMs.",
        false,
      ]
    `);
    expect(seen(end, { event: 'not-sent', code: 'INTERCEPTOR_FAILED' })).toMatchInlineSnapshot(`
      [
        "GatewayUnreachableError",
        "GATEWAY_UNREACHABLE",
        "Nothing was sent: an interceptor of the application threw, or did not come back in time.",
        "Look at the interceptors that were added to this account's HttpService.",
        false,
      ]
    `);
  });

  it('name what is wrong with the answer to a read', () => {
    const end = { end: 'unusable-answer' } as const;
    expect(seen(end, { event: 'no-answer' }, BALANCE)).toMatchInlineSnapshot(`
      [
        "GatewayAnswerError",
        "NO_ANSWER",
        "The gateway gave no complete answer (NETWORK_ERROR).",
        "Nothing was changed by this call: make it again.",
        false,
      ]
    `);
    expect(seen(end, { event: 'no-answer', code: 'ECONNRESET' }, BALANCE)).toMatchInlineSnapshot(`
      [
        "GatewayAnswerError",
        "NO_ANSWER",
        "The gateway gave no complete answer (ECONNRESET).",
        "Nothing was changed by this call: make it again.",
        false,
      ]
    `);
    expect(seen(end, { event: 'bad-answer', httpStatus: 200 }, BALANCE)).toMatchInlineSnapshot(`
      [
        "GatewayAnswerError",
        "BAD_ANSWER",
        "The gateway's answer could not be read (HTTP 200).",
        "Nothing was changed by this call: make it again.",
        false,
      ]
    `);
    expect(seen(end, { event: 'server-error', httpStatus: 502 }, BALANCE)).toMatchInlineSnapshot(`
      [
        "GatewayAnswerError",
        "SERVER_ERROR",
        "The gateway failed (HTTP 502).",
        "Nothing was changed by this call: make it again.",
        false,
      ]
    `);
    expect(seen(end, { event: 'server-error' }, BALANCE)).toMatchInlineSnapshot(`
      [
        "GatewayAnswerError",
        "SERVER_ERROR",
        "The gateway failed (HTTP 0).",
        "Nothing was changed by this call: make it again.",
        false,
      ]
    `);
    expect(seen(end, { event: 'provider-error', code: 'PROVIDER_ERROR', httpStatus: 502 }, BALANCE))
      .toMatchInlineSnapshot(`
      [
        "GatewayAnswerError",
        "PROVIDER_ERROR",
        "The gateway failed: PROVIDER_ERROR, the provider returned an error.",
        "Nothing was changed by this call: make it again.",
        false,
      ]
    `);
    expect(seen(end, { event: 'unlisted-code', code: 'ODD', httpStatus: 400 }, BALANCE))
      .toMatchInlineSnapshot(`
      [
        "GatewayAnswerError",
        "ODD",
        "The gateway failed: ODD.",
        "Nothing was changed by this call: make it again.",
        false,
      ]
    `);
  });

  it('tell what to do with an unknown payout', () => {
    const unknown = (evidence: string, report: Report = {}): readonly unknown[] =>
      seen({ end: 'unknown', evidence } as never, report);
    expect(unknown('no-answer', { code: 'ECONNRESET' })).toMatchInlineSnapshot(`
      [
        "PaymentOutcomeUnknownError",
        "OUTCOME_UNKNOWN",
        "It is not known whether the money moved: the request was sent and no complete answer came (ECONNRESET).",
        "Look the payout up with the gateway; do not pay again under another reference.",
        true,
      ]
    `);
    expect(unknown('server-error', { httpStatus: 502, code: 'ODD' })).toMatchInlineSnapshot(`
      [
        "PaymentOutcomeUnknownError",
        "OUTCOME_UNKNOWN",
        "It is not known whether the money moved: the gateway failed after it had the request (HTTP 502, ODD).",
        "Look the payout up with the gateway; do not pay again under another reference.",
        true,
      ]
    `);
    expect(unknown('duplicate-request', { httpStatus: 409 })).toMatchInlineSnapshot(`
      [
        "PaymentOutcomeUnknownError",
        "OUTCOME_UNKNOWN",
        "It is not known whether the money moved: the gateway has processed this idempotency key before, so the payment was most likely accepted (HTTP 409).",
        "The first request with this key was most likely accepted: wait for its outcome, never use a new key for it.",
        true,
      ]
    `);
    expect(unknown('duplicate-reference', { httpStatus: 409 })).toMatchInlineSnapshot(`
      [
        "PaymentOutcomeUnknownError",
        "OUTCOME_UNKNOWN",
        "It is not known whether the money moved: the gateway already holds a payment under this reference (HTTP 409).",
        "Look that reference up before using another one: its payment may have been made.",
        true,
      ]
    `);
    expect(unknown('provider-error', { httpStatus: 502 })).toMatchInlineSnapshot(`
      [
        "PaymentOutcomeUnknownError",
        "OUTCOME_UNKNOWN",
        "It is not known whether the money moved: the provider failed at an unknown moment (HTTP 502).",
        "The provider failed at an unknown moment: wait for the outcome before paying again.",
        true,
      ]
    `);
    expect(unknown('unlisted-code', { httpStatus: 422, code: 'ODD' })).toMatchInlineSnapshot(`
      [
        "PaymentOutcomeUnknownError",
        "OUTCOME_UNKNOWN",
        "It is not known whether the money moved: the gateway answered with a code that does not say whether the payment was made (HTTP 422, ODD).",
        "Look the payout up with the gateway; do not pay again under another reference. Ask the gateway what the code means; if it always refuses, add it to the refusalCodes option.",
        true,
      ]
    `);
    expect(unknown('conflict')).toMatchInlineSnapshot(`
      [
        "PaymentOutcomeUnknownError",
        "OUTCOME_UNKNOWN",
        "It is not known whether the money moved: it was written down as refused, planned, or ended without success, and the gateway acknowledged it afterwards.",
        "Look the payout up with the gateway; do not pay again under another reference. Ask the gateway what happened to it, then write it down once more with PaymentsJournal.settle().",
        true,
      ]
    `);
  });

  it('say of an unknown payment that its last try was not sent, which is not why it is unknown', () => {
    const attempts = [
      { number: 1, phase: 'ambiguous', httpStatus: 502, durationMs: 5 },
      { number: 2, phase: 'not-sent', code: 'HELD_BACK', durationMs: 0 },
    ];
    const end = { end: 'unknown', evidence: 'server-error' } as const;
    expect(seen(end, { event: 'held-back', code: 'HELD_BACK' }, { ...PAYOUT, attempts }))
      .toMatchInlineSnapshot(`
        [
          "PaymentOutcomeUnknownError",
          "OUTCOME_UNKNOWN",
          "It is not known whether the money moved: the gateway failed after it had the request (the last try was not sent: HELD_BACK).",
          "Look the payout up with the gateway; do not pay again under another reference.",
          true,
        ]
      `);
  });

  it('tell what to do with an unknown collection', () => {
    const collection = { operation: 'collection.mobile-money', reference: 'order-1' };
    const end = { end: 'unknown', evidence: 'no-answer' } as const;
    expect(seen(end, { event: 'no-answer' }, collection)).toMatchInlineSnapshot(`
      [
        "PaymentOutcomeUnknownError",
        "OUTCOME_UNKNOWN",
        "It is not known whether the money moved: the request was sent and no complete answer came.",
        "Keep the order open and wait for the webhook; do not ask for the money again under another reference.",
        true,
      ]
    `);
  });
});
