import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import {
  type JournalState,
  type JournalStore,
  CALL_ATTEMPT_CHANNEL,
  onPaymentsDiagnostics,
  memoryStorage,
} from 'nestjs-payments';
import { endedAfter } from '../../support/event-loop.js';
import {
  bankRecord,
  bankRequest,
  collectionRecord,
  collectionRequest,
  envelope,
  mobileRequest,
} from '../../support/gateway-answers.js';
import { storedBy } from '../../support/journal-contract.js';
import { startMerchant, type Merchant } from '../../support/merchant.js';
import { remoteJournal } from '../../support/remote-journal.js';
import {
  hang,
  json,
  reset,
  startMisbehavingGateway,
  text,
  type Behaviour,
  type MisbehavingGateway,
} from '../../support/misbehaving-gateway.js';

const ACCEPTED = json(envelope(collectionRecord, 'PAYMENT_INITIATED'));
const REFUSED = json({ status: 'error', code: 'INVALID_PHONE', message: 'No' }, 400);
const KEY = {
  account: 'default',
  environment: 'sandbox',
  family: 'collection',
  reference: 'order-1',
} as const;

describe('a payment that is asked for again', () => {
  let gateway: MisbehavingGateway;
  let merchant: Merchant;
  let journal: JournalStore;
  let now: number;

  const pay = (change: object = {}, options: object = {}) =>
    merchant.collections.mobileMoney({ ...collectionRequest, ...change }, options);
  const failureOf = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);
  const stateOf = async (): Promise<JournalState | undefined> => (await journal.get(KEY))?.record.state;

  const restart = async (options: Parameters<typeof startMerchant>[0] | object = {}): Promise<void> => {
    await merchant.close();
    merchant = await startMerchant({ baseUrl: gateway.baseUrl, storage, ...options });
  };
  let storage: ReturnType<typeof memoryStorage>;

  beforeEach(async () => {
    now = 1_800_000_000_000;
    const memory = memoryStorage({ now: () => now });
    journal = remoteJournal(memory.journal);
    storage = { ...memory, journal };
    gateway = await startMisbehavingGateway();
    merchant = await startMerchant({ baseUrl: gateway.baseUrl, storage, timeoutMs: 20_000 });
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    await merchant.close();
    await gateway.close();
  });

  describe('while the first call runs in this process', () => {
    it('is told apart from every other call', async () => {
      gateway.answer(text('not JSON'));
      await Promise.all([failureOf(pay()), failureOf(pay({ reference: 'order-2' }))]);
      const intents = ['order-1', 'order-2'].map(
        async (reference) => (await journal.get({ ...KEY, reference }))?.record.intent,
      );
      expect(new Set(await Promise.all(intents)).size).toBe(2);
    });

    it('joins it: one request, one result', async () => {
      gateway.answer(ACCEPTED);
      const results = await Promise.all(Array.from({ length: 20 }, () => pay()));
      expect(gateway.seen).toHaveLength(1);
      expect(new Set(results.map(({ provider_reference }) => provider_reference))).toEqual(new Set(['PA-1']));
    });

    it('gives each caller a result of its own', async () => {
      gateway.answer(ACCEPTED);
      const [first, second] = await Promise.all([pay(), pay()]);
      expect(second).toEqual(first);
      expect(second.lastResponse).toEqual(first.lastResponse);
      Object.assign(first, { status: 'changed by its caller' });
      expect(second.status).toBe('pending');
      expect(Object.keys(second)).not.toContain('lastResponse');
    });

    it('fails with it', async () => {
      gateway.answer(reset);
      const errors = await Promise.all([failureOf(pay()), failureOf(pay())]);
      expect(errors).toMatchObject([{ evidence: 'no-answer' }, { evidence: 'no-answer' }]);
      expect(gateway.seen).toHaveLength(1);
    });

    it('ends only its own wait with its own signal or deadline', async () => {
      let answer = (): void => {};
      gateway.answer((response, socket, request) => {
        answer = () => {
          ACCEPTED(response, socket, request);
        };
      });
      const first = pay();
      await gateway.arrived(1);
      const signal = new AbortController();
      const impatient = failureOf(pay({}, { signal: signal.signal }));
      const late = failureOf(pay({}, { deadlineMs: 20 }));
      signal.abort();
      expect(await impatient).toMatchObject({ name: 'PaymentOutcomeUnknownError', evidence: 'aborted' });
      expect(await late).toMatchObject({ name: 'PaymentOutcomeUnknownError', evidence: 'in-flight' });
      answer();
      expect((await first).provider_reference).toBe('PA-1');
    });

    it('with another body, or through the other operation, is refused', async () => {
      gateway.answer(hang);
      const caller = new AbortController();
      const first = failureOf(pay({}, { signal: caller.signal }));
      await gateway.arrived(1);
      const refused = { name: 'ReferenceReusedError', mayHaveBeenProcessed: true };
      expect(await failureOf(pay({ amount: '1' }))).toMatchObject(refused);
      expect(await failureOf(merchant.collections.partnerWallet(collectionRequest))).toMatchObject(refused);
      caller.abort();
      await first;
      expect(gateway.seen).toHaveLength(1);
    });

    it('with another key, or as another attempt, sends nothing', async () => {
      gateway.answer(hang);
      const caller = new AbortController();
      const first = failureOf(pay({}, { signal: caller.signal }));
      await gateway.arrived(1);
      expect(await failureOf(pay({}, { attempt: 2 }))).toMatchObject({ evidence: 'in-flight' });
      expect(await failureOf(pay({}, { idempotencyKey: 'mine' }))).toMatchObject({ evidence: 'in-flight' });
      caller.abort();
      await first;
      expect(gateway.seen).toHaveLength(1);
    });

    it('is made again if the first caller gives up before sending', async () => {
      gateway.answer(ACCEPTED);
      const slow = new Promise<void>((resolve) => setImmediate(resolve));
      const get = journal.get.bind(journal);
      vi.spyOn(journal, 'get').mockImplementation(async (key) => {
        await slow;
        return get(key);
      });
      const signal = new AbortController();
      const first = failureOf(pay({}, { signal: signal.signal }));
      const second = pay();
      signal.abort('changed my mind');
      expect(await first).toBe('changed my mind');
      expect((await second).provider_reference).toBe('PA-1');
      expect(gateway.seen).toHaveLength(1);
    });
  });

  it('while the first call runs in another process, is unknown', async () => {
    gateway.answer(hang);
    const replica = await startMerchant({ baseUrl: gateway.baseUrl, storage });
    const caller = new AbortController();
    const first = failureOf(pay({}, { timeoutMs: 20_000, signal: caller.signal }));
    await gateway.arrived(1);
    expect(await failureOf(replica.collections.mobileMoney(collectionRequest))).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      evidence: 'in-flight',
    });
    await replica.close();
    caller.abort();
    await first;
    expect(gateway.seen).toHaveLength(1);
  });

  it('after it was accepted, gives the stored record and sends nothing, also after a restart', async () => {
    gateway.answer(ACCEPTED);
    const first = await pay();
    await restart();
    const again = await pay({ amount: 1180.5 });
    expect(again).toEqual(first);
    expect(again.lastResponse).toEqual({ ...first.lastResponse, attempts: [] });
    expect(gateway.seen).toHaveLength(1);
  });

  it('after it was accepted, is refused with another body, operation, key or attempt', async () => {
    gateway.answer(ACCEPTED);
    await pay();
    const refused = { name: 'ReferenceReusedError', code: 'REFERENCE_REUSED', reference: 'order-1' };
    expect(await failureOf(pay({ phone: '255712345679' }))).toMatchObject(refused);
    expect(await failureOf(merchant.collections.partnerWallet(collectionRequest))).toMatchObject(refused);
    expect(await failureOf(pay({}, { idempotencyKey: 'mine' }))).toMatchObject(refused);
    expect(await failureOf(pay({}, { attempt: 2 }))).toMatchObject(refused);
    expect(gateway.seen).toHaveLength(1);
  });

  it('in the other family is another payment', async () => {
    gateway.answer(ACCEPTED, json(envelope({ ...bankRecord, reference: 'order-1' })));
    await pay();
    await merchant.disbursements.bank({ ...bankRequest, reference: 'order-1' });
    expect(gateway.seen).toHaveLength(2);
  });

  it('after its outcome became unknown, is the same error and sends nothing', async () => {
    gateway.answer(text('<html>', 502));
    const first = await failureOf(pay());
    for (const options of [{}, { attempt: 2 }, { idempotencyKey: 'mine' }]) {
      expect(await failureOf(pay({}, options))).toMatchObject({
        name: 'PaymentOutcomeUnknownError',
        evidence: 'server-error',
        idempotencyKey: (first as { idempotencyKey: string }).idempotencyKey,
      });
    }
    expect(await failureOf(pay({ amount: '1' }))).toMatchObject({ name: 'ReferenceReusedError' });
    expect(gateway.seen).toHaveLength(1);
  });

  it('after its outcome became unknown, probes once it is due: same key, same bytes, once', async () => {
    await restart({
      probe: { collections: { afterAnswerMs: 2_000, afterSilenceMs: 15_000 } },
      deadlineMs: 2_500,
    });
    gateway.answer(
      text('<html>', 502),
      json({ success: false, code: 'INSUFFICIENT_BALANCE', message: 'no' }, 422),
    );
    await failureOf(pay());
    now += 1_999;
    expect(await failureOf(pay())).toMatchObject({ evidence: 'server-error' });
    expect(gateway.seen).toHaveLength(1);
    now += 1;
    expect(await failureOf(pay())).toMatchObject({ evidence: 'refused-after-ambiguity' });
    expect(gateway.seen).toHaveLength(2);
    const [first, probe] = gateway.seen;
    expect(probe?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(probe?.body).toBe(first?.body);
    now += 60_000;
    expect(await failureOf(pay())).toMatchObject({ evidence: 'refused-after-ambiguity' });
    expect(gateway.seen).toHaveLength(2);
  });

  it('after a due probe was accepted, resolves', async () => {
    await restart({ probe: { collections: { afterAnswerMs: 0 } }, deadlineMs: 900 });
    gateway.answer(text('', 500), ACCEPTED);
    await failureOf(pay());
    expect((await pay()).provider_reference).toBe('PA-1');
    expect(await stateOf()).toBe('accepted');
  });

  it('keeps its probe if the probe could not be sent', async () => {
    await restart({ probe: { collections: { afterAnswerMs: 0 } }, deadlineMs: 900 });
    gateway.answer(text('', 500), json({ message: 'later' }, 429, { 'retry-after': '0' }), ACCEPTED);
    await failureOf(pay());
    expect(await failureOf(pay())).toMatchObject({ evidence: 'refused-after-ambiguity' });
    expect((await pay()).provider_reference).toBe('PA-1');
  });

  it('after a refusal, is the next attempt, with another key and maybe another body', async () => {
    gateway.answer(json({ success: false, code: 'INVALID_PHONE', message: 'no' }, 422), ACCEPTED);
    expect(await failureOf(pay({ phone: '255700000000' }))).toMatchObject({ name: 'PaymentRejectedError' });
    expect(await stateOf()).toBe('rejected');
    await pay();
    const keys = gateway.seen.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(2);
    expect((await journal.get(KEY))?.record).toMatchObject({ state: 'accepted', attempt: 2 });
  });

  it('after a refusal, is not the refused attempt again', async () => {
    gateway.answer(json({ success: false, code: 'INVALID_REQUEST', message: 'no' }, 422));
    await failureOf(pay());
    expect(await failureOf(pay({}, { attempt: 1 }))).toMatchObject({ name: 'PaymentsValidationError' });
    expect(gateway.seen).toHaveLength(1);
  });

  it.each([
    ['401', json({ message: 'no' }, 401), 'PaymentsAuthenticationError'],
    ['403', json({ message: 'no' }, 403), 'PaymentsAuthenticationError'],
    ['429', json({ message: 'no' }, 429, { 'retry-after': '0' }), 'PaymentsRateLimitError'],
    ['a page under 401', text('<html>Blocked</html>', 401), 'PaymentsAuthenticationError'],
    ['a page under 403', text('<html>Blocked</html>', 403), 'PaymentsAuthenticationError'],
    ...[300, 301, 304, 307, 308].map((status): [string, Behaviour, string] => [
      `a redirect ${status}`,
      text('', status, { location: '/' }),
      'PaymentsConfigError',
    ]),
  ])(
    'after %s, which may hide that the gateway acted, is only made again as it was',
    async (_, answer, name) => {
      gateway.answer(answer, ACCEPTED);
      expect(await failureOf(pay({}, { retry: false }))).toMatchObject({ name, mayHaveBeenProcessed: false });
      expect((await journal.get(KEY))?.record).toMatchObject({ state: 'rejected', keepsKey: true });
      expect(await failureOf(pay({ amount: '2000.00' }))).toMatchObject({ name: 'ReferenceReusedError' });
      const { reference } = collectionRequest;
      const elsewhere = merchant.collections.partnerWallet({ ...collectionRequest, reference });
      expect(await failureOf(elsewhere)).toMatchObject({ name: 'ReferenceReusedError' });
      await pay();
      expect(new Set(gateway.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
      expect(gateway.seen).toHaveLength(2);
    },
  );

  it('given up after a 429, which may hide that the gateway acted, is only made again as it was', async () => {
    const caller = new AbortController();
    gateway.answer(json({ message: 'no' }, 429, { 'retry-after': '1' }), ACCEPTED);
    const unsubscribe = onPaymentsDiagnostics(CALL_ATTEMPT_CHANNEL, () => {
      caller.abort('enough');
    });
    expect(await failureOf(pay({}, { signal: caller.signal }))).toBe('enough');
    unsubscribe();
    expect(await failureOf(pay({ amount: '2000.00' }))).toMatchObject({ name: 'ReferenceReusedError' });
    await pay();
    expect(new Set(gateway.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(gateway.seen).toHaveLength(2);
  });

  it.each([401, 403, 429])('after %i keeps what an unlisted refusal before it has bound', async (status) => {
    const turnedAway = json({ message: 'no' }, status, { 'retry-after': '0' });
    gateway.answer(json({ message: 'no' }, 422), turnedAway, ACCEPTED);
    await failureOf(pay());
    await failureOf(pay({}, { retry: false }));
    expect(await failureOf(pay({ amount: '2000.00' }))).toMatchObject({ name: 'ReferenceReusedError' });
    await pay();
    expect(new Set(gateway.seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(gateway.seen).toHaveLength(3);
  });

  it.each([
    ['an unlisted refusal', json({ message: 'no' }, 422)],
    ['401', json({ message: 'no' }, 401)],
  ])('after %s is not said to be refused for good, though the gateway refuses it then', async (_, before) => {
    gateway.answer(before, REFUSED);
    await failureOf(pay({}, { retry: false }));
    expect(await failureOf(pay())).toMatchObject({
      ...{ name: 'PaymentRejectedError', code: 'INVALID_PHONE', final: false, httpStatus: 400 },
      hint: expect.stringContaining('Make the same call again') as unknown,
      attempts: [{ number: 1 }],
    });
    expect((await journal.get(KEY))?.record).toMatchObject({ state: 'rejected', keepsKey: true });
  });

  it.each([
    ['401', json({ message: 'no' }, 401)],
    ['an unlisted refusal', json({ message: 'no' }, 422)],
    ['a redirect', text('', 307)],
  ])('after %s carries the same key and bytes, in whatever order its fields come', async (_, before) => {
    gateway.answer(before, ACCEPTED);
    const { phone, ...rest } = collectionRequest;
    await failureOf(pay({ metadata: { a: 1, b: { c: 2, d: 3 } } }));
    await merchant.collections.mobileMoney({ metadata: { b: { d: 3, c: 2 }, a: 1 }, phone, ...rest });
    const [first, again] = gateway.seen;
    expect(again?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(again?.body).toBe(first?.body);
  });

  it.each<[what: string, then: Behaviour]>([
    ['401', json({ message: 'no' }, 401)],
    ['403', json({ message: 'no' }, 403)],
    ['429', json({ message: 'no' }, 429)],
    ['a redirect', text('', 307)],
  ])('after an unlisted refusal, %s says nothing of the first call', async (_, then) => {
    gateway.answer(json({ message: 'no' }, 422), then);
    await failureOf(pay());
    expect(await failureOf(pay({}, { retry: false }))).toMatchObject({
      mayHaveBeenProcessed: 'not-by-this-call',
      hint: expect.stringContaining('Make the same call again with the same reference') as unknown,
    });
  });

  it('after an unlisted refusal, a gateway that cannot be reached says nothing of the first call', async () => {
    gateway.answer(json({ message: 'no' }, 422));
    await failureOf(pay());
    await restart({ baseUrl: 'http://127.0.0.1:9/api/v1', retry: { maxAttempts: 1 } });
    expect(await failureOf(pay())).toMatchObject({
      ...{ name: 'GatewayUnreachableError', mayHaveBeenProcessed: 'not-by-this-call' },
      // What is wrong now, and what to do about the payment.
      hint: expect.stringMatching(/baseUrl.* Make the same call again with the same reference/) as unknown,
    });
  });

  it('after it was only turned away, a gateway that cannot be reached has processed nothing', async () => {
    gateway.answer(json({ message: 'no' }, 401));
    await failureOf(pay());
    await restart({ baseUrl: 'http://127.0.0.1:9/api/v1', retry: { maxAttempts: 1 } });
    expect(await failureOf(pay())).toMatchObject({
      ...{ name: 'GatewayUnreachableError', mayHaveBeenProcessed: false },
    });
  });

  it('after nothing was sent, is simply made again, and a refusal before it is remembered', async () => {
    gateway.answer(json({ success: false, code: 'INVALID_REQUEST', message: 'no' }, 422));
    await failureOf(pay());
    await restart({ baseUrl: 'http://127.0.0.1:9/api/v1', retry: { maxAttempts: 1 } });
    expect(await failureOf(pay())).toMatchObject({ name: 'GatewayUnreachableError' });
    expect((await journal.get(KEY))?.record).toMatchObject({ state: 'rejected', attempt: 1 });
  });

  it.each([
    ['success', 'success'],
    ['failed', undefined],
  ] as const)('after a webhook said %s, follows it', async (outcome, status) => {
    gateway.answer(ACCEPTED);
    await pay();
    const stored = await journal.get(KEY);
    await journal.replace(
      stored?.version ?? 0,
      { ...stored!.record, state: 'settled', outcome, settledBy: 'webhook' },
      0,
    );
    const again = failureOf(pay());
    if (status) expect(await again).toMatchObject({ status, provider_reference: 'PA-1' });
    else expect(await again).toMatchObject({ name: 'ReferenceReusedError', mayHaveBeenProcessed: false });
    expect(gateway.seen).toHaveLength(1);
  });

  it.each([{}, { phone: '255712000001' }])(
    'is not made as another attempt under the key of the refused one: %j',
    async (correction) => {
      gateway.answer(REFUSED, ACCEPTED);
      const key = { idempotencyKey: 'of-the-old-client' };
      expect(await failureOf(pay({}, key))).toMatchObject({ name: 'PaymentRejectedError', final: true });
      expect(await failureOf(pay(correction, key))).toMatchObject({
        name: 'PaymentsValidationError',
        mayHaveBeenProcessed: false,
        errors: { idempotencyKey: [expect.stringContaining('leave it out') as unknown] },
      });
      expect(gateway.seen).toHaveLength(1);
      await pay(correction);
      const [first, second] = gateway.seen.map(({ headers }) => headers['idempotency-key']);
      expect(first).toBe('of-the-old-client');
      expect(second).not.toBe(first);
      expect((await journal.get(KEY))?.record).toMatchObject({ state: 'accepted', attempt: 2 });
    },
  );

  it('is not called refused when another replica took it over meanwhile: its probe may have come through', async () => {
    gateway.answer((response, socket, request) => {
      void (async () => {
        const stored = await journal.get(KEY);
        await journal.replace(
          stored!.version,
          { ...stored!.record, state: 'unknown', evidence: 'interrupted' },
          0,
        );
        json({ success: false, code: 'INVALID_PHONE', message: 'no' }, 422)(response, socket, request);
      })();
    });
    expect(await failureOf(pay())).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      evidence: 'refused-after-ambiguity',
    });
    expect(await stateOf()).toBe('unknown');
  });

  it('is not said to be unsent when another replica took it over meanwhile', async () => {
    await gateway.close();
    const remove = journal.remove.bind(journal);
    vi.spyOn(journal, 'remove').mockImplementation(async (key, version) => {
      const existing = await journal.get(key);
      const probing = { ...existing!.record, state: 'unknown', evidence: 'interrupted' } as const;
      await journal.replace(version, probing, 60_000);
      return remove(key, version);
    });
    expect(await failureOf(pay({}, { retry: false }))).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      evidence: 'interrupted',
    });
  });

  it('is not called made because another payment took the reference that this call let go', async () => {
    await gateway.close();
    vi.spyOn(journal, 'remove').mockImplementation(async (key, version) => {
      const existing = await journal.get(key);
      const other = { ...existing!.record, bodyHash: '1:other', intent: 'other', state: 'accepted' } as const;
      await journal.replace(version, other, 0);
      return false;
    });
    expect(await failureOf(pay({}, { retry: false }))).toMatchObject({ name: 'GatewayUnreachableError' });
  });

  describe('one more try within the call', () => {
    const waits = { afterAnswerMs: 1, afterSilenceMs: 2 };

    it('carries the same key and bytes, and succeeds if the gateway accepts it', async () => {
      await restart({ probe: { collections: waits } });
      gateway.answer(reset, ACCEPTED);
      const payment = await pay();
      expect(payment.lastResponse.attempts.map(({ phase }) => phase)).toEqual(['ambiguous', 'answered']);
      const [first, second] = gateway.seen;
      expect([second?.headers['idempotency-key'], second?.body]).toEqual([
        first?.headers['idempotency-key'],
        first?.body,
      ]);
      expect(await stateOf()).toBe('accepted');
    });

    it.each([
      [
        'a used key',
        json({ success: false, code: 'DUPLICATE_REQUEST', message: 'x' }, 409),
        'duplicate-request',
      ],
      [
        'a refusal',
        json({ success: false, code: 'INVALID_PHONE', message: 'x' }, 422),
        'refused-after-ambiguity',
      ],
      ['refused credentials', json({ message: 'x' }, 401), 'refused-after-ambiguity'],
      ['silence again', reset, 'no-answer'],
    ])('is made once: %s leaves the payment unknown', async (_, second, evidence) => {
      await restart({ probe: { collections: waits } });
      gateway.answer(text('<html>', 502), second, ACCEPTED);
      expect(await failureOf(pay())).toMatchObject({ name: 'PaymentOutcomeUnknownError', evidence });
      now += 60_000;
      expect(await failureOf(pay())).toMatchObject({ evidence });
      expect(gateway.seen).toHaveLength(2);
      expect((await journal.get(KEY))?.record).toMatchObject({ state: 'unknown', evidence });
    });

    it.each<[string, { readonly retry?: false }]>([
      ['', {}],
      [', even of a call that allows one try only', { retry: false }],
    ])(
      'keeps the evidence of the answer before if a 429 to another payment holds it back%s',
      async (_, limits) => {
        await restart({ probe: { collections: waits } });
        let fail = (): void => {};
        gateway.answer(
          (...exchange) => {
            fail = () => {
              text('<html>', 502)(...exchange);
            };
          },
          json({ message: 'Too many' }, 429, { 'retry-after': '61' }),
        );
        const first = failureOf(pay());
        await gateway.arrived(1);
        await failureOf(pay({ reference: 'order-2' }));
        fail();
        const doubt = {
          name: 'PaymentOutcomeUnknownError',
          evidence: 'server-error',
          message:
            'It is not known whether the money moved: the gateway failed after it had the request (the last try was not sent: HELD_BACK).',
        };
        expect(await first).toMatchObject({
          ...doubt,
          attempts: [{ httpStatus: 502 }, { phase: 'not-sent' }],
        });
        now += 60_000;
        expect(await failureOf(pay({}, limits))).toMatchObject({
          ...doubt,
          attempts: [{ phase: 'not-sent' }],
        });
        expect(gateway.seen).toHaveLength(2);
        expect((await journal.get(KEY))?.record).toMatchObject({
          state: 'unknown',
          evidence: 'server-error',
          probe: 'after-answer',
        });
      },
    );

    it('is not made after a provider error, an unlisted code or another echo', async () => {
      await restart({ probe: { collections: waits } });
      for (const [reference, answer] of [
        ['order-2', json({ success: false, code: 'PROVIDER_ERROR', message: 'x' }, 422)],
        ['order-3', json({ success: false, code: 'WHO_KNOWS', message: 'x' }, 500)],
        ['order-4', json(envelope({ ...collectionRecord, reference: 'order-4', amount: '1.00' }))],
      ] as const) {
        gateway.answer(answer);
        await failureOf(pay({ reference }));
      }
      expect(gateway.seen).toHaveLength(3);
    });

    it('is not made if the caller allows only one try, or if the deadline is near', async () => {
      await restart({ probe: { collections: waits } });
      gateway.answer(reset);
      await failureOf(pay({}, { retry: false }));
      await failureOf(pay({ reference: 'order-2' }, { deadlineMs: 1_000 }));
      expect(gateway.seen).toHaveLength(2);
      const left = async (reference: string): Promise<unknown> => {
        const { record } = (await journal.get({ ...KEY, reference }))!;
        return [record.state, record.probe, record.sent];
      };
      // A later call or recovery makes the probe for which there was no time, and none that was not allowed.
      expect(await left('order-2')).toEqual(['unknown', 'after-silence', true]);
      expect(await left('order-1')).toEqual(['unknown', undefined, undefined]);
      now += 60_000;
      expect(await failureOf(pay())).toMatchObject({ evidence: 'no-answer' });
      expect(gateway.seen).toHaveLength(2);
    });

    it('is not made by anybody after a call that allows one try only, and was it itself', async () => {
      await restart({ probe: { collections: waits } });
      gateway.answer(reset, json({ message: 'Too many' }, 429, { 'retry-after': '0' }));
      await failureOf(pay({}, { deadlineMs: 1_000 }));
      now += 60_000;
      expect(await failureOf(pay({}, { retry: false }))).toMatchObject({
        name: 'PaymentOutcomeUnknownError',
      });
      expect(gateway.seen).toHaveLength(2);
      expect(await failureOf(pay())).toMatchObject({ name: 'PaymentOutcomeUnknownError' });
      expect(gateway.seen).toHaveLength(2);
    });

    it('is not left behind by a process that dies in a call that allows one try only', async () => {
      await restart({ probe: { collections: waits } });
      gateway.answer(hang);
      const caller = new AbortController();
      const call = failureOf(pay({}, { retry: false, signal: caller.signal }));
      await gateway.arrived(1);
      expect((await journal.get(KEY))?.record).toMatchObject({ state: 'in-flight' });
      for (const field of ['probe', 'sent'])
        expect((await journal.get(KEY))?.record).not.toHaveProperty(field);
      caller.abort();
      await call;
    });

    it('is not made for a payout unless it is configured', async () => {
      await restart({ probe: { collections: waits } });
      gateway.answer(reset);
      await failureOf(merchant.disbursements.mobileMoney(mobileRequest));
      await restart({ probe: { disbursements: waits } });
      await failureOf(merchant.disbursements.mobileMoney({ ...mobileRequest, reference: 'salary-3' }));
      expect(gateway.seen).toHaveLength(3);
    });

    it('is not made when a webhook came meanwhile: it wins', async () => {
      await restart({ probe: { collections: waits } });
      gateway.answer((response, socket, request) => {
        void (async () => {
          const stored = await journal.get(KEY);
          await journal.replace(
            stored!.version,
            { ...stored!.record, state: 'settled', outcome: 'success', settledBy: 'webhook' },
            0,
          );
          reset(response, socket, request);
        })();
      });
      const payment = await pay();
      expect(payment).toMatchObject({ reference: 'order-1', amount: '1180.50', status: 'success' });
      expect(payment.lastResponse.warnings).toEqual([expect.stringContaining('webhook')]);
      expect(gateway.seen).toHaveLength(1);
    });

    it('is not made if the journal hangs before it, and the deadline is kept', async () => {
      await restart({ probe: { collections: waits } });
      vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
      vi.spyOn(journal, 'replace').mockImplementation(() => new Promise(() => {}));
      gateway.answer(text('', 500));
      expect(await endedAfter(1_500, () => failureOf(pay({}, { deadlineMs: 1_500 })))).toMatchObject({
        name: 'PaymentOutcomeUnknownError',
        evidence: 'server-error',
      });
      expect(gateway.seen).toHaveLength(1);
    });

    it('is not made after the caller gave up', async () => {
      await restart({ probe: { collections: { afterAnswerMs: 10_000 } } });
      gateway.answer(text('', 500));
      const signal = new AbortController();
      const stop = onPaymentsDiagnostics(CALL_ATTEMPT_CHANNEL, () => {
        signal.abort();
      });
      const error = await failureOf(pay({}, { signal: signal.signal })).finally(stop);
      expect(error).toMatchObject({
        name: 'PaymentOutcomeUnknownError',
        evidence: 'aborted',
        mayHaveBeenProcessed: true,
      });
      expect(gateway.seen).toHaveLength(1);
      const { record } = (await journal.get(KEY))!;
      expect(record).toMatchObject({ state: 'unknown', evidence: 'aborted' });
      expect(record.probe).toBeUndefined();
    });
  });

  describe('when the journal fails', () => {
    const broken = (): Promise<never> => Promise.reject(new Error('connection refused'));

    it.each([
      ['insert', 0],
      ['replace', 1],
    ] as const)('at %s, nothing is sent', async (method, refused) => {
      vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
      gateway.answer(REFUSED);
      for (let call = 0; call < refused; call += 1) await failureOf(pay());
      vi.spyOn(journal, method).mockImplementation(broken);
      expect(await failureOf(pay())).toMatchObject({
        name: 'PaymentsStorageError',
        mayHaveBeenProcessed: 'not-by-this-call',
      });
      expect(gateway.seen).toHaveLength(refused);
    });

    it('asks it twice for a new payment: a journal may be a network away', async () => {
      gateway.answer(ACCEPTED);
      const methods = ['insert', 'get', 'replace', 'remove', 'list'] as const;
      const spies = methods.map((method) => vi.spyOn(journal, method));
      await pay();
      expect(spies.map(({ mock }) => mock.calls.length)).toEqual([1, 0, 1, 0, 0]);
    });

    it('while a payment is unknown, the error says that this call sent nothing, not that no call did', async () => {
      vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
      gateway.answer(reset);
      expect(await failureOf(pay())).toMatchObject({ mayHaveBeenProcessed: true });
      vi.spyOn(journal, 'insert').mockImplementation(broken);
      expect(await failureOf(pay())).toMatchObject({
        name: 'PaymentsStorageError',
        mayHaveBeenProcessed: 'not-by-this-call',
        message: expect.stringContaining('this call sent nothing') as unknown,
        hint: expect.stringContaining('earlier call') as unknown,
      });
      expect(gateway.seen).toHaveLength(1);
    });

    it('by never answering, nothing is sent, and the deadline is kept', async () => {
      vi.spyOn(journal, 'insert').mockImplementation(() => new Promise(() => {}));
      expect(await failureOf(pay({}, { deadlineMs: 30 }))).toMatchObject({ name: 'PaymentsStorageError' });
      const signal = new AbortController();
      const call = failureOf(pay({}, { signal: signal.signal }));
      signal.abort('enough');
      expect(await call).toBe('enough');
      expect(gateway.seen).toHaveLength(0);
    });

    it('too late for the caller, nothing is written down any more', async () => {
      gateway.answer(REFUSED);
      await failureOf(pay());
      const insert = journal.insert.bind(journal);
      let go = (): void => {};
      const gate = new Promise<void>((resolve) => (go = resolve));
      vi.spyOn(journal, 'insert').mockImplementation(async (...args) => {
        await gate;
        return insert(...args);
      });
      const replace = vi.spyOn(journal, 'replace');
      expect(await failureOf(pay({}, { deadlineMs: 20 }))).toMatchObject({ name: 'PaymentsStorageError' });
      go();
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      expect(replace).not.toHaveBeenCalled();
    });

    it('although it wrote the payment down, what was written is taken back', async () => {
      vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
      const insert = journal.insert.bind(journal);
      const spy = vi.spyOn(journal, 'insert').mockImplementation(async (...args) => {
        await insert(...args);
        return broken();
      });
      expect(await failureOf(pay())).toMatchObject({ name: 'PaymentsStorageError' });
      expect(await stateOf()).toBeUndefined();
      spy.mockRestore();
      gateway.answer(ACCEPTED);
      await pay();
      expect(gateway.seen).toHaveLength(1);
    });

    it('although another call wrote the payment down, what that one wrote stays', async () => {
      vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
      const insert = journal.insert.bind(journal);
      vi.spyOn(journal, 'insert').mockImplementation(async (record, leaseMs) => {
        await insert({ ...record, intent: 'of another process' }, leaseMs);
        return broken();
      });
      expect(await failureOf(pay())).toMatchObject({ name: 'PaymentsStorageError' });
      expect(await stateOf()).toBe('in-flight');
    });

    it('although a webhook settled what was written, its outcome stays', async () => {
      vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
      const insert = journal.insert.bind(journal);
      vi.spyOn(journal, 'insert').mockImplementation(async (record, leaseMs) => {
        const stored = storedBy(await insert(record, leaseMs));
        const paid = { ...record, state: 'settled', outcome: 'success', settledBy: 'webhook' } as const;
        await journal.replace(stored.version, paid, 0);
        return broken();
      });
      expect(await failureOf(pay())).toMatchObject({ name: 'PaymentsStorageError' });
      expect(await stateOf()).toBe('settled');
    });

    it('too late for the caller, what was written is taken back', async () => {
      const insert = journal.insert.bind(journal);
      let go = (): void => {};
      const gate = new Promise<void>((resolve) => (go = resolve));
      vi.spyOn(journal, 'insert').mockImplementation(async (...args) => {
        await gate;
        return insert(...args);
      });
      await failureOf(pay({}, { deadlineMs: 20 }));
      go();
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
      expect(await stateOf()).toBeUndefined();
    });

    it('after the answer, the caller gets the answer with a warning', async () => {
      const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
      gateway.answer(ACCEPTED);
      vi.spyOn(journal, 'replace').mockImplementation(broken);
      const payment = await pay();
      expect(payment.lastResponse.warnings).toEqual([expect.stringContaining('journal')]);
      expect(warn).toHaveBeenCalledWith(expect.stringContaining('order-1'));
    });

    it('after the answer, it is written down as soon as the journal works again', async () => {
      vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
      gateway.answer(json({ success: false, code: 'INVALID_PHONE', message: 'no' }, 422));
      const replace = journal.replace.bind(journal);
      let repaired = (): void => {};
      const repair = new Promise<void>((resolve) => (repaired = resolve));
      vi.spyOn(journal, 'replace')
        .mockImplementationOnce(broken)
        .mockImplementationOnce(broken)
        .mockImplementation(async (...args) => {
          const stored = await replace(...args);
          repaired();
          return stored;
        });
      expect(await failureOf(pay())).toMatchObject({ name: 'PaymentRejectedError' });
      expect(await stateOf()).toBe('in-flight');
      await repair;
      expect(await stateOf()).toBe('rejected');
    });

    it('so slowly that too little time is left, nothing is sent', async () => {
      const insert = journal.insert.bind(journal);
      let go = (): void => {};
      const gate = new Promise<void>((resolve) => (go = resolve));
      vi.spyOn(journal, 'insert').mockImplementationOnce(async (...args) => {
        await gate;
        return insert(...args);
      });
      gateway.answer(json(envelope({ ...collectionRecord, reference: 'order-2' }, 'PAYMENT_INITIATED')));
      expect(await failureOf(pay({}, { deadlineMs: 100 }))).toMatchObject({ name: 'PaymentsStorageError' });
      go();
      // What the late one sent would come before this one.
      await pay({ reference: 'order-2' });
      expect(gateway.seen.map(({ body }) => (JSON.parse(body) as { reference: string }).reference)).toEqual([
        'order-2',
      ]);
    });

    it('by hanging after the answer, the deadline is kept', async () => {
      vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => {});
      gateway.answer(ACCEPTED);
      vi.spyOn(journal, 'replace').mockImplementation(() => new Promise(() => {}));
      await endedAfter(1_000, () => pay({}, { deadlineMs: 1_000 }));
    });
  });
});
