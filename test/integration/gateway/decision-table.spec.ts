import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type CallOptions,
  isPaymentsError,
  type PaymentsModuleOptions,
  PaymentOutcomeUnknownError,
} from 'nestjs-payments';
import { bankRequest, collectionRequest } from '../../support/gateway-answers.js';
import { startMerchantApp, type MerchantApp } from '../../support/merchant-app.js';
import {
  drip,
  hang,
  json,
  reset,
  stall,
  startMisbehavingGateway,
  text,
  truncate,
  type Behaviour,
  type MisbehavingGateway,
} from '../../support/misbehaving-gateway.js';
import { accept, acceptWith, bare, complain, refuse } from '../../support/working-gateway.js';

type Kind = 'read' | 'collection' | 'disbursement';
type Row = readonly [what: string, first: Behaviour, read: string, collection: string, disbursement: string];

const RETRIED = 'ok, 2 sent';
const REJECTED = 'PaymentRejectedError, 1 sent';

const same = (what: string, first: Behaviour, cell: string): Row => [what, first, cell, cell, cell];
const payments = (what: string, first: Behaviour, read: string, cell: string): Row => [
  what,
  first,
  read,
  cell,
  cell,
];
/** A read is retried, and a payment unknown. */
const ambiguous = (what: string, first: Behaviour, evidence: string): Row =>
  payments(what, first, RETRIED, `? ${evidence}, 1 sent`);

/** What only a time limit ends; it bounds the try that is answered, too. */
const SILENT: readonly Behaviour[] = [hang, stall, drip];
const SILENCE_MS = 1_000;

/** Money may have moved, and a probe may tell. */
const PROBED: readonly Row[] = [
  ambiguous('silence', hang, 'no-answer'),
  ambiguous('a reset', reset, 'no-answer'),
  ambiguous('a truncated body', truncate, 'no-answer'),
  ambiguous('a stalled body', stall, 'no-answer'),
  ambiguous('a dripping body', drip, 'no-answer'),
  ambiguous('408', bare(408), 'server-error'),
  ambiguous('409 without a known code', bare(409), 'server-error'),
  ambiguous('500', bare(500), 'server-error'),
  ambiguous('503', bare(503), 'server-error'),
  ambiguous('HTML under 502', text('<html>Bad gateway</html>', 502), 'server-error'),
  ambiguous('HTML under 200', text('<html>Welcome</html>'), 'bad-answer'),
  ambiguous('malformed JSON', text('{"status":"success",'), 'bad-answer'),
  ambiguous('an empty body', text(''), 'bad-answer'),
  ambiguous('2xx without data', json({ status: 'success', code: 'X', message: 'm' }), 'bad-answer'),
];

const WARNED = 'ok with a warning, 1 sent';
const REFUSING_CODES = [
  'INVALID_REQUEST',
  'INVALID_PHONE',
  'INVALID_BANK',
  'INVALID_NETWORK',
  'INVALID_ACCOUNT',
  'ACCOUNT_NAME_MISMATCH',
  'INSUFFICIENT_BALANCE',
  'INVALID_BANK_CODE',
  'ACCOUNT_NOT_FOUND',
  'INVALID_CHANNEL',
  'CODE_OF_THE_OPTIONS',
];

const SETTLED_AT_ONCE: readonly Row[] = [
  same('success', accept, 'ok, 1 sent'),
  payments('another amount', acceptWith({ amount: '1.00' }), 'ok, 1 sent', '? echo-mismatch, 1 sent'),
  payments('another reference', acceptWith({ reference: 'x' }), 'ok, 1 sent', '? echo-mismatch, 1 sent'),
  payments('another currency', acceptWith({ currency: 'USD' }), 'ok, 1 sent', '? echo-mismatch, 1 sent'),
  ['another account', acceptWith({ account_number: '18' }), WARNED, 'ok, 1 sent', '? echo-mismatch, 1 sent'],
  [
    'another bank and name',
    acceptWith({ bank_code: 'ABC_LONG', account_name: 'J. Hamisi' }),
    'ok, 1 sent',
    'ok, 1 sent',
    WARNED,
  ],
  ['a total that is no sum', acceptWith({ total_amount: '1.00' }), 'ok, 1 sent', 'ok, 1 sent', WARNED],
  payments('a record that has failed', acceptWith({ status: 'failed' }), 'ok, 1 sent', WARNED),
  ['a record that is paid', acceptWith({ status: 'paid' }), 'ok, 1 sent', WARNED, 'ok, 1 sent'],
  payments('a status that nobody knows', acceptWith({ status: 'on_hold' }), 'ok, 1 sent', WARNED),

  same('field messages', complain('amount'), REJECTED),
  ...REFUSING_CODES.map((code) => same(code, refuse(code), REJECTED)),
  ...REFUSING_CODES.map((code): Row => [
    `${code} under 500`,
    refuse(code, 500),
    REJECTED,
    '? server-error, 1 sent',
    '? server-error, 1 sent',
  ]),
  payments('a refusal inside HTTP 200', refuse('INVALID_ACCOUNT', 200), REJECTED, '? bad-answer, 1 sent'),
  same('a code of the options inside HTTP 200', refuse('CODE_OF_THE_OPTIONS', 200), REJECTED),
  ...[400, 404, 405, 411, 413, 415, 422].map((status): Row => [
    `${status} without a code`,
    bare(status),
    REJECTED,
    REJECTED,
    '? bad-answer, 1 sent',
  ]),
  ambiguous('HTML under 400', text('<html>No</html>', 400), 'bad-answer'),
  ambiguous('half of the JSON under 422', text('{"success":false,"code":"INVALID', 422), 'bad-answer'),

  ['an unlisted code under 422', refuse('NEW', 422), REJECTED, REJECTED, '? unlisted-code, 1 sent'],
  ...[200, 408, 409, 500].map((status) =>
    ambiguous(`an unlisted code under ${status}`, refuse('NEW', status), 'unlisted-code'),
  ),
  ambiguous('PROVIDER_ERROR', refuse('PROVIDER_ERROR'), 'provider-error'),
  payments('DUPLICATE_REQUEST', refuse('DUPLICATE_REQUEST'), REJECTED, '? duplicate-request, 1 sent'),
  payments('DUPLICATE_REFERENCE', refuse('DUPLICATE_REFERENCE'), REJECTED, '? duplicate-reference, 1 sent'),
  payments(
    'a complaint about the reference',
    complain('reference'),
    REJECTED,
    '? duplicate-reference, 1 sent',
  ),

  same('401', bare(401), 'PaymentsAuthenticationError, 1 sent'),
  same('403', bare(403), 'PaymentsAuthenticationError, 1 sent'),
  same('429', bare(429), RETRIED),
  same('429 that asks for no wait', bare(429, { 'retry-after': '0' }), RETRIED),
  same('429 until a past date', bare(429, { 'retry-after': 'Fri, 02 Jan 2026 09:00:00 GMT' }), RETRIED),
  same('429 for over a minute', bare(429, { 'retry-after': '61' }), 'PaymentsRateLimitError, 1 sent'),
  ...[301, 307, 308].map((status) =>
    same(`a redirect ${status}`, text('', status, { location: '/' }), 'PaymentsConfigError, 1 sent'),
  ),
  ...[302, 303].map((status) =>
    payments(
      `a redirect ${status}`,
      text('', status, { location: '/' }),
      'PaymentsConfigError, 1 sent',
      '? bad-answer, 1 sent',
    ),
  ),
];

const AFTER_AMBIGUITY: readonly (readonly [what: string, second: Behaviour, cell: string])[] = [
  ['success settles it', accept, 'ok, 2 sent'],
  ['a refusal does not', refuse('INSUFFICIENT_BALANCE'), '? refused-after-ambiguity, 2 sent'],
  ['field messages do not', complain('amount'), '? refused-after-ambiguity, 2 sent'],
  ['405 with a code does not', refuse('INVALID_PHONE', 405), '? refused-after-ambiguity, 2 sent'],
  ['401 does not', bare(401), '? refused-after-ambiguity, 2 sent'],
  ['a redirect does not', text('', 307, { location: '/' }), '? refused-after-ambiguity, 2 sent'],
  ['DUPLICATE_REQUEST speaks for itself', refuse('DUPLICATE_REQUEST'), '? duplicate-request, 2 sent'],
  ['DUPLICATE_REFERENCE speaks for itself', refuse('DUPLICATE_REFERENCE'), '? duplicate-reference, 2 sent'],
  ['a second failure says as little as the first', bare(500), '? server-error, 2 sent'],
];

describe('the decision table, through real sockets', () => {
  let gateway: MisbehavingGateway;
  let app: MerchantApp;
  let prober: MerchantApp;
  let calls = 0;

  const start = (more: Partial<PaymentsModuleOptions>): Promise<MerchantApp> =>
    startMerchantApp({
      baseUrl: gateway.baseUrl,
      timeoutMs: 5_000,
      refusalCodes: ['CODE_OF_THE_OPTIONS'],
      ...more,
    });

  beforeAll(async () => {
    gateway = await startMisbehavingGateway();
    const waits = { afterAnswerMs: 1, afterSilenceMs: 1 };
    prober = await start({ probe: { collections: waits, disbursements: waits } });
  });
  // After a 429 an account waits, so no cell may have the account of the one before.
  beforeEach(async () => {
    gateway.seen.length = 0;
    app = await start({});
  });
  afterEach(() => app.close());
  afterAll(async () => {
    await gateway.close();
    await prober.close();
  });

  /** What a call of this kind comes to, and how many requests it took. */
  async function outcome(kind: Kind, by: MerchantApp, first?: Behaviour): Promise<string> {
    const timeoutMs = first && SILENT.includes(first) ? SILENCE_MS : undefined;
    const end = await call(kind, by, { timeoutMs }).then(
      ({ lastResponse: { warnings } }) => (warnings.length === 0 ? 'ok' : 'ok with a warning'),
      (error: unknown) => {
        expect(isPaymentsError(error) && error.mayHaveBeenProcessed).toBe(
          error instanceof PaymentOutcomeUnknownError,
        );
        return error instanceof PaymentOutcomeUnknownError ? `? ${error.evidence}` : (error as Error).name;
      },
    );
    return `${end}, ${gateway.seen.length} sent`;
  }

  function call(kind: Kind, by: MerchantApp, options: CallOptions) {
    const reference = `payment-${(calls += 1)}`;
    if (kind === 'collection')
      return by.collections.mobileMoney({ ...collectionRequest, reference }, options);
    if (kind === 'disbursement') return by.disbursements.bank({ ...bankRequest, reference }, options);
    return by.names.lookup({ channel: 'PARTNERPESA', account_number: '17' }, options);
  }

  const expectOneKeyAndBody = (): void => {
    expect(new Set(gateway.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(new Set(gateway.seen.map(({ body }) => body)).size).toBe(1);
  };

  for (const [what, first, ...cells] of [...PROBED, ...SETTLED_AT_ONCE]) {
    it.each([
      ['read', cells[0]],
      ['collection', cells[1]],
      ['disbursement', cells[2]],
    ] as const)(`${what}: a %s is %s`, async (kind, cell) => {
      gateway.answer(first, accept);
      expect(await outcome(kind, app, first)).toBe(cell);
      if (kind !== 'read') expectOneKeyAndBody();
    });
  }

  describe.each(['collection', 'disbursement'] as const)('a probe of a %s', (kind) => {
    for (const [what, first] of PROBED) {
      it(`follows ${what} once, with the same key and bytes`, async () => {
        gateway.answer(first, accept);
        expect(await outcome(kind, prober, first)).toBe(RETRIED);
        expectOneKeyAndBody();
      });
    }

    it.each(AFTER_AMBIGUITY)('decides about money only if it may: %s', async (_, second, cell) => {
      gateway.answer(reset, second, accept);
      expect(await outcome(kind, prober)).toBe(cell);
      expectOneKeyAndBody();
    });

    it.each(
      SETTLED_AT_ONCE.filter(([, , , cell]) => cell.startsWith('? ')).map(
        ([what, first]) => [what, first] as const,
      ),
    )('does not follow %s', async (_, first) => {
      gateway.answer(first, accept);
      expect(await outcome(kind, prober)).toMatch(/^\? .*, 1 sent$/);
    });
  });
});
