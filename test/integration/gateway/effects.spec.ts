import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PaymentOutcomeUnknownError, PaymentRejectedError } from 'nestjs-payments';
import { bankRequest, collectionRequest } from '../../support/gateway-answers.js';
import { jsonText, raw, startLedgerGateway, type LedgerGateway } from '../../support/ledger-gateway.js';
import { startMerchant, WAYS, type Merchant } from '../../support/merchant.js';
import { json, text, type Behaviour } from '../../support/misbehaving-gateway.js';

const REFUSAL = JSON.stringify({ success: false, code: 'INVALID_REQUEST', message: 'No' });
const LENGTH = `Content-Length: ${REFUSAL.length}`;
const JSON_TYPE = 'Content-Type: application/json';
const HALF = REFUSAL.slice(0, 30);

/** What an answer under a status looks like after the payment was made. */
type Shape = readonly [what: string, answer: (status: number) => Behaviour];

/** None of them is a refusal, whatever its status. */
const UNREADABLE: readonly Shape[] = [
  ['its end before the body', (status) => raw(status, [JSON_TYPE, LENGTH], '', (socket) => socket.end())],
  [
    'a reset before the body',
    (status) => raw(status, [JSON_TYPE, LENGTH], '', (socket) => socket.resetAndDestroy()),
  ],
  [
    'a reset within the body',
    (status) => raw(status, [JSON_TYPE, LENGTH], HALF, (socket) => socket.resetAndDestroy()),
  ],
  ['less than its length', (status) => raw(status, [JSON_TYPE, LENGTH], HALF, (socket) => socket.end())],
  [
    'chunks without an end',
    (status) =>
      raw(
        status,
        [JSON_TYPE, 'Transfer-Encoding: chunked'],
        `${REFUSAL.length.toString(16)}\r\n${REFUSAL}\r\n`,
        (socket) => socket.end(),
      ),
  ],
  [
    'half a body until the end',
    (status) => raw(status, [JSON_TYPE, 'Connection: close'], HALF, (socket) => socket.end()),
  ],
  [
    'no body until the end',
    (status) => raw(status, [JSON_TYPE, 'Connection: close'], '', (socket) => socket.end()),
  ],
  [
    'Content-Length 0',
    (status) => raw(status, [JSON_TYPE, 'Content-Length: 0'], '', (socket) => socket.end()),
  ],
  [
    'a compressed body',
    (status) => (response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(REFUSAL));
    },
  ],
  [
    'a body that calls itself compressed',
    (status) => jsonText(REFUSAL, status, { 'content-encoding': 'br' }),
  ],
  ['a page', (status) => text('<html>No</html>', status, { 'content-type': 'text/html' })],
  ['JSON that calls itself a page', (status) => jsonText(REFUSAL, status, { 'content-type': 'text/html' })],
  ['XML', (status) => jsonText('<error><code>INVALID_REQUEST</code></error>', status)],
  ['JSONP', (status) => jsonText(`callback(${REFUSAL});`, status)],
  [
    'a PHP notice before the JSON',
    (status) => jsonText(`<br />\n<b>Notice</b>: pay.php\n${REFUSAL}`, status),
  ],
  [
    'a code in `error`',
    (status) => json({ success: false, message: 'No', error: { code: 'DUPLICATE_REQUEST' } }, status),
  ],
  [
    'codes in a list',
    (status) => json({ success: false, message: 'No', errors: [{ code: 'DUPLICATE_REFERENCE' }] }, status),
  ],
  ['a message about the reference', (status) => json({ message: 'The reference is taken.' }, status)],
  [
    'field messages about the key',
    (status) => json({ success: false, message: 'No', errors: { 'Idempotency-Key': ['was used'] } }, status),
  ],
  [
    'field messages about the reference',
    (status) => json({ success: false, message: 'No', errors: { reference: ['was used'] } }, status),
  ],
  [
    'success: true with a warning',
    (status) => json({ success: true, errors: { warning: ['slow'] } }, status),
  ],
  [
    'success: false with a record',
    (status) => json({ success: false, code: 'INVALID_REQUEST', data: { id: 1 } }, status),
  ],
  [
    'a listed code beside a record',
    (status) => json({ status: 'error', code: 'INVALID_REQUEST', message: 'No', result: { id: 1 } }, status),
  ],
  [
    'a listed code beside a transaction',
    (status) =>
      json({ status: 'error', code: 'INVALID_REQUEST', message: 'No', transaction_id: 'T1' }, status),
  ],
  [
    'two statuses',
    (status) =>
      jsonText(
        `{"status":"success",${JSON.stringify({ status: 'error', code: 'INVALID_REQUEST', message: 'No' }).slice(1)}`,
        status,
      ),
  ],
  [
    'a listed code and a message about what was used',
    (status) =>
      json({ success: false, code: 'INVALID_REQUEST', message: 'The reference has been used.' }, status),
  ],
  [
    'field messages about what exists',
    (status) => json({ success: false, message: 'No', errors: { amount: ['exists'] } }, status),
  ],
  [
    'DUPLICATE_REQUEST',
    (status) => json({ success: false, code: 'DUPLICATE_REQUEST', message: 'No' }, status),
  ],
];
/** These refuse, or not, by their status alone: the next call has the same key whatever the body is. */
const SPEAKING = [401, 403, 429];

/** A refusal in every respect but its status. */
const LISTED: readonly Shape[] = [
  ['a listed code', (status) => jsonText(REFUSAL, status)],
  ['field messages', (status) => json({ success: false, message: 'No', errors: { phone: ['bad'] } }, status)],
];

/** Under a clear 4xx a collection is refused, and called again with its key. */
const UNLISTED: readonly Shape[] = [
  ['a bare message', (status) => json({ message: 'No' }, status)],
  ['an error without a code', (status) => json({ status: 'error', message: 'No' }, status)],
  [
    'field messages about what no request holds',
    (status) => json({ success: false, message: 'No', errors: { notification: ['not sent'] } }, status),
  ],
  ['a code that nobody lists', (status) => json({ success: false, code: 'NEW', message: 'No' }, status)],
];

describe.each(WAYS)('money that moved before the answer, %s', (way) => {
  let gateway: LedgerGateway;
  let merchant: Merchant;
  let calls = 0;

  beforeAll(async () => {
    gateway = await startLedgerGateway();
    const waits = { afterAnswerMs: 1, afterSilenceMs: 1 };
    const probe = { collections: waits, disbursements: false } as const;
    merchant = await startMerchant({ baseUrl: gateway.baseUrl, timeoutMs: 5_000, probe }, way);
  });
  afterAll(async () => {
    await merchant.close();
    await gateway.close();
  });

  /** Makes a payment four times, and tells what was said the first time. */
  async function payUntilTold(family: 'collection' | 'disbursement', first: Behaviour): Promise<unknown> {
    const reference = `payment-${(calls += 1)}`;
    gateway.begin(first);
    const pay = (attempts: { readonly retry?: false }): Promise<unknown> =>
      family === 'collection'
        ? merchant.collections.mobileMoney({ ...collectionRequest, reference }, attempts)
        : merchant.disbursements.bank({ ...bankRequest, reference }, attempts);
    const told = await pay({}).catch((error: unknown) => error);
    for (const options of [{}, { retry: false } as const, {}]) await pay(options).catch(() => undefined);
    return told;
  }

  describe.each(['collection', 'disbursement'] as const)('of a %s', (family) => {
    const statuses = [200, 202, 400, 402, 404, 408, 409, 410, 422, 500, 502, 504];

    describe.each(UNREADABLE)('and %s', (_, answer) => {
      it.each(statuses)('under %d moves once, and no error says that it did not', async (status) => {
        expect(await payUntilTold(family, answer(status))).toBeInstanceOf(PaymentOutcomeUnknownError);
        expect(gateway.effects()).toBe(1);
      });

      it.each(SPEAKING)('under %d moves once', async (status) => {
        await payUntilTold(family, answer(status));
        expect(gateway.effects()).toBe(1);
      });
    });

    describe.each(LISTED)('and %s', (_, answer) => {
      it.each([200, 202, 408, 409, 500, 502, 504])('under %d is unknown, and moves once', async (status) => {
        expect(await payUntilTold(family, answer(status))).toBeInstanceOf(PaymentOutcomeUnknownError);
        expect(gateway.effects()).toBe(1);
      });
    });

    describe.each(UNLISTED)('and %s', (_, answer) => {
      it.each([...statuses, ...SPEAKING])(
        'under %d moves once: the next call has the same key',
        async (status) => {
          const told = await payUntilTold(family, answer(status));
          if (family === 'disbursement') expect(told).not.toBeInstanceOf(PaymentRejectedError);
          expect(gateway.effects()).toBe(1);
          const keys = gateway.seen.map(({ headers }) => headers['idempotency-key']);
          expect(new Set(keys).size).toBe(1);
        },
      );
    });
  });

  it.each(['collection', 'disbursement'] as const)(
    'moves once if 429 hides the effect of a %s and the second try of the call is refused',
    async (family) => {
      const tooMany = text('', 429, { 'retry-after': '0' });
      const told = await payUntilTold(family, (...exchange) => {
        gateway.next(json({ status: 'error', code: 'INSUFFICIENT_BALANCE', message: 'No' }, 422));
        tooMany(...exchange);
      });
      expect(told).toBeInstanceOf(PaymentRejectedError);
      expect((told as PaymentRejectedError).hint).toMatch(/^An earlier try of the call was answered, too/);
      expect(gateway.effects()).toBe(1);
      const keys = gateway.seen.map(({ headers }) => headers['idempotency-key']);
      expect(keys.length).toBeGreaterThan(2);
      expect(new Set(keys).size).toBe(1);
    },
  );

  it.each<[string, Behaviour, string]>([
    ['a code that nobody lists', json({ success: false, code: 'NEW', message: 'No' }, 422), 'NEW'],
    ['a message alone', json({ message: 'Not found' }, 404), 'HTTP_404'],
    [
      'messages about what was not sent',
      json({ success: false, message: 'No', errors: { notification: ['not sent'] } }, 422),
      'INVALID_REQUEST',
    ],
  ])(
    'advises no new reference before the gateway says that nothing was made: %s',
    async (what, answer, code) => {
      gateway.begin(answer);
      const pay = (change: object): Promise<unknown> =>
        merchant.collections
          .mobileMoney({ ...collectionRequest, reference: `corrected-${way}-${what}`, ...change })
          .catch((error: unknown) => error);
      const hint: unknown = expect.stringMatching(
        /^Make the same call again with the same reference.* only after the gateway confirmed that it made nothing/,
      );
      expect(await pay({})).toMatchObject({ name: 'PaymentRejectedError', code, hint });
      expect(await pay({ phone: '255712345679' })).toMatchObject({
        name: 'ReferenceReusedError',
        mayHaveBeenProcessed: true,
        hint,
      });
      expect(gateway.seen).toHaveLength(1);
    },
  );
});
