import { beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { controlOf, type ControlErrorBody } from '../../../support/control-caller.js';
import { callerOf, COLLECTION } from '../../../support/gateway-caller.js';
import { rawCall } from '../../../support/raw-call.js';
import { startSandbox } from '../../../support/sandbox.js';

interface List {
  readonly items: readonly Record<string, unknown>[];
}

describe('the control API drives', () => {
  let sandbox: PaymentsSandbox;
  let control: ReturnType<typeof controlOf>;
  let gateway: ReturnType<typeof callerOf>;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual' });
    control = controlOf(sandbox);
    gateway = callerOf(sandbox);
  });

  const messageOf = ({ body }: { readonly body: unknown }) => (body as ControlErrorBody).error.message;

  describe('lists', () => {
    it('filters by field, and takes the newest', async () => {
      for (const reference of ['a', 'b', 'c']) await gateway.collect({ reference });
      await sandbox.customer(COLLECTION.phone).approve('b');
      await gateway.collect({ reference: 'd' }, { merchant: 'other' });

      const references = async (query: string) =>
        (await control.get<List>(`/payments?${query}`)).body.items.map(({ reference }) => reference);
      expect(await references('status=pending')).toEqual(['a', 'c', 'd']);
      expect(await references('merchant=demo&status=pending')).toEqual(['a', 'c']);
      expect(await references('merchant=demo&limit=2')).toEqual(['b', 'c']);
    });

    it('refuses a filter that it does not know', async () => {
      const answer = await control.get('/payments?state=success');
      expect(answer.status).toBe(400);
      expect(messageOf(answer)).toBe(
        'There is no filter `state`: write merchant, status, customer_phone, q, open, failed, limit, before, after.',
      );
      expect((await control.get('/payments?limit=0')).status).toBe(400);
      expect((await control.get('/clock?now=1')).status).toBe(400);
    });

    it('shows one payment with its story, without secrets', async () => {
      await gateway.collect();
      await control.post('/payments/order-1/approve');
      const { body } = await control.get<{ timeline: { what: string; text: string }[] }>('/payments/order-1');

      expect(body).toMatchObject({ reference: 'order-1', status: 'success' });
      expect(body.timeline.map(({ what }) => what)).toEqual([
        'payment',
        'request',
        'payment',
        'payment',
        'delivery',
      ]);
      expect((await control.get('/payouts/order-1')).status).toBe(404);
    });

    it('shows the calls with the rule that fired', async () => {
      sandbox.next('GET /merchant-balance').html(502);
      await fetch(`${sandbox.baseUrl}/merchant-balance`, {
        headers: { authorization: 'Bearer pk_test_demo' },
      });
      const { body } = await control.get<List>('/requests?status=502');

      expect(body.items).toMatchObject([
        { rule: 'fault html', headers: { authorization: 'Bearer pk_test_…' } },
      ]);
    });
  });

  describe('money', () => {
    it('sets what is available and leaves what is locked', async () => {
      await gateway.payToBank();
      const { body } = await control.put('/balance', { available: '10.50' });
      expect(body).toMatchObject({ available_balance: 10.5, locked_balance: 20_500, balance: 20_510.5 });
      expect((await gateway.payToPhone()).body).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });

      await control.post('/balance/top-up', { amount: '6000' });
      expect((await gateway.payToPhone()).body).toMatchObject({ code: 'DISBURSEMENT_INITIATED' });
    });

    it.each([['1e3'], ['-1'], ['1.005'], [5]])('refuses the amount %j', async (amount) => {
      const answer = await control.post('/balance/top-up', { amount });
      expect(answer.status).toBe(422);
      expect(messageOf(answer)).toContain('for example "250000.00"');
      expect(sandbox.balance().available_balance).toBe(1_000_000);
    });

    it('replaces the banks until it is reset', async () => {
      await control.put('/banks', { items: [{ id: 1, name: 'Kilima Bank', code: 'KLB' }] });
      expect((await gateway.get('/bank-shortnames')).body['data']).toEqual([
        { id: 1, name: 'Kilima Bank', code: 'KLB' },
      ]);
      expect((await gateway.payToBank()).body).toMatchObject({ code: 'INVALID_BANK' });
      expect((await gateway.payToBank({ bank_code: 'KLB' })).status).toBe(200);

      await control.post('/reset');
      expect((await gateway.payToBank()).status).toBe(200);
    });

    it.each([
      ['one code', { code: 'KLB' }],
      ['a code that is the long code of the other', { code: 'MWANGA', long_code: 'KLB' }],
    ])('refuses two banks with %s', async (_, codes) => {
      const bank = { id: 1, name: 'Kilima Bank', code: 'KLB' };
      const answer = await control.put('/banks', { items: [bank, { id: 2, name: 'Mwanga Bank', ...codes }] });
      expect([answer.status, messageOf(answer)]).toEqual([
        422,
        'Two banks have the code KLB: write each code once.',
      ]);
    });

    it.each([-1, 2 ** 53])(
      'refuses a bank with the id %d, which the folder of the state could not hold',
      async (id) => {
        const answer = await control.put('/banks', { items: [{ id, name: 'Kilima Bank', code: 'KLB' }] });
        expect(answer.status).toBe(422);
      },
    );

    it('refuses a fault that lasts for more calls than can be counted', async () => {
      const fault = { operation: 'GET /merchant-balance', kind: 'hang', times: 1e16 };
      const answer = await control.post('/faults', fault);
      expect([answer.status, messageOf(answer)]).toEqual([
        422,
        '`times` must be a whole number from 1 to 9007199254740991.',
      ]);
    });

    it('replaces the holders of accounts, for one merchant or for all', async () => {
      const account = { account_number: '0123456789', account_name: 'Neema Said' };
      await control.put('/directory', { items: [account], merchant: 'demo' });
      expect((await control.get('/directory')).body).toEqual({ items: [] });
      expect((await gateway.payToBank()).body).toMatchObject({ code: 'ACCOUNT_NAME_MISMATCH' });
      expect((await gateway.payToBank({}, { merchant: 'other' })).status).toBe(200);

      await control.put('/directory', { items: [], merchant: 'demo' });
      expect((await gateway.payToBank()).status).toBe(200);
    });

    it('shows the holders of one merchant, and makes none by looking', async () => {
      const account = { account_number: '0123456789', account_name: 'Neema Said' };
      await control.put('/directory', { items: [account], merchant: 'demo' });
      expect((await control.get('/directory?merchant=demo')).body).toEqual({ items: [account] });
      expect((await control.get('/directory?merchant=nobody')).body).toEqual({ items: [] });
      expect((await control.get('/info')).body).toMatchObject({ merchants: ['demo'] });
    });
  });

  describe('faults', () => {
    it('plans them, lists what is left, and removes them', async () => {
      const fault = { operation: 'GET /merchant-balance', kind: 'status', status: 429, retry_after: 7 };
      const planned = await control.post<{ id: string }>('/faults', { ...fault, times: 2 });
      const struck = await gateway.get('/merchant-balance');

      expect([struck.status, struck.headers.get('retry-after')]).toEqual([429, '7']);
      expect((await control.get<List>('/faults')).body.items).toMatchObject([{ ...fault, left: 1 }]);
      await control.remove(`/faults/${planned.body.id}`);
      expect((await gateway.get('/merchant-balance')).status).toBe(200);
      expect((await control.remove(`/faults/${planned.body.id}`)).status).toBe(404);
    });

    it.each([
      ['dropBefore'],
      ['dropAfterProcessing'],
      ['reset'],
      ['partialBody'],
      ['malformedJson'],
      ['hang'],
    ])('takes the kind %s', async (kind) => {
      const { body } = await control.post('/faults', { operation: 'POST /payments/mobile-money', kind });
      expect(body).toMatchObject({ kind, left: 1, probability: 1, after_processing: null });
    });

    it.each([
      { kind: 'status', status: 503 },
      { kind: 'html', status: 504 },
    ])('processes the call before it answers $kind if asked', async ({ kind, status }) => {
      const fault = { operation: 'POST /payments/mobile-money', kind, status };
      const before = await control.post('/faults', fault);
      const after = await control.post('/faults', { ...fault, after_processing: true });
      expect([before.body, after.body]).toMatchObject([
        { kind, after_processing: false },
        { kind, after_processing: true },
      ]);
      expect(await rawCall(sandbox, fault.operation, COLLECTION)).toContain(`HTTP/1.1 ${status}`);
      expect(sandbox.payments()).toEqual([]);
      expect(await rawCall(sandbox, fault.operation, COLLECTION)).toContain(`HTTP/1.1 ${status}`);
      expect(sandbox.payments()).toMatchObject([{ reference: 'order-1' }]);
    });

    it('is never used up if it applies by chance', async () => {
      const told: unknown[] = [];
      sandbox.on('faults', (faults) => told.push(faults));
      const fault = { operation: 'GET /bank-shortnames', kind: 'drip', duration: 20, probability: 0.5 };
      const { body } = await control.post('/faults', { ...fault, reference: 'order-1', merchant: 'demo' });
      expect(body).toMatchObject({ left: null, duration_ms: 20, reference: 'order-1', merchant: 'demo' });
      expect(told).toEqual([{ items: [body] }]);
    });

    it.each([
      [{ kind: 'explode' }, '`kind` must be dropBefore'],
      [{ kind: 'status' }, '`status` is missing: the kind status needs it'],
      [{ kind: 'delay' }, '`duration` is missing: the kind delay needs it'],
      [{ kind: 'hang', duration: '2s' }, '`duration` belongs to the kinds delay and drip'],
      [{ kind: 'html', status: 502, retry_after: 1 }, '`retry_after` belongs to the kinds status'],
      [{ kind: 'hang', after_processing: true }, '`after_processing` belongs to the kinds status and html'],
      [{ kind: 'html', status: 502, after_processing: 'yes' }, '`after_processing` must be true'],
      [{ kind: 'status', status: 99 }, '`status` must be an HTTP status from 200 to 599'],
      [{ kind: 'hang', times: 0 }, '`times` must be a whole number from 1 to 9007199254740991'],
      [{ kind: 'hang', operation: 'GET /nothing' }, '`operation` must be an operation of the gateway'],
    ])('refuses %j', async (fields, message) => {
      const answer = await control.post('/faults', { operation: 'GET /merchant-balance', ...fields });
      expect(answer.status).toBe(422);
      expect(messageOf(answer)).toContain(message);
      expect((await control.get('/faults')).body).toEqual({ items: [] });
    });
  });

  describe('the clock', () => {
    it('moves it, and answers when everything has finished', async () => {
      await gateway.collect();
      expect((await control.get('/clock')).body).toEqual({
        kind: 'manual',
        now: '2026-01-01T09:00:00.000Z',
        frozen: true,
        waiting: 1,
        due: [
          {
            at: '2026-01-01T09:15:00.000Z',
            what: 'payment',
            merchant: 'demo',
            reference: 'order-1',
            to: 'expired',
          },
        ],
      });
      const { body } = await control.post('/clock/advance', { by: '15m' });
      expect(body).toMatchObject({ now: '2026-01-01T09:15:00.000Z', waiting: 0 });
      expect(sandbox.payments()).toMatchObject([{ status: 'expired' }]);
    });

    it('stops a real one and lets it run on', async () => {
      const real = await startSandbox();
      const clock = controlOf(real);
      const frozen = await clock.post<{ now: string }>('/clock/freeze', { frozen: true });
      await clock.post('/clock/advance', { by: '1h' });
      const later = await clock.get<{ now: string }>('/clock');
      const running = await clock.post('/clock/freeze', { frozen: false });

      expect(Date.parse(later.body.now) - Date.parse(frozen.body.now)).toBe(3_600_000);
      expect(running.body).toMatchObject({ kind: 'real', frozen: false });
      expect(real.clock.now()).toBeGreaterThanOrEqual(Date.parse(later.body.now));
    });

    it('says why a manual one cannot run, and how to write a duration', async () => {
      const run = await control.post('/clock/freeze', { frozen: false });
      expect([run.status, messageOf(run)]).toEqual([
        409,
        expect.stringContaining('A manual clock never runs'),
      ]);
      const wrong = await control.post('/clock/advance', { by: 'a while' });
      expect([wrong.status, messageOf(wrong)]).toEqual([422, expect.stringContaining('"15m"')]);
      expect(messageOf(await control.post('/clock/advance'))).toContain('`by` is missing: it must be');
    });
  });

  it('forgets one merchant and leaves the others', async () => {
    await gateway.collect();
    await gateway.collect({}, { merchant: 'other' });
    await control.post('/reset', { merchant: 'demo' });
    expect(sandbox.payments()).toMatchObject([{ merchant: 'other' }]);
  });
});
