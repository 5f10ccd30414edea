import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ControlAnswer, type ControlErrorBody, controlOf } from '../../../support/control-caller.js';
import { controlDocument } from '../../../support/control-contract.js';
import { type SandboxStage, setSandboxStage } from '../../../support/sandbox-stage.js';

interface Page {
  readonly items: readonly { readonly reference: string; readonly webhook?: unknown }[];
  readonly total: number;
  readonly found: number;
  readonly newer: number;
  readonly before: string | null;
  readonly after: string | null;
}

describe('the lists of the control API', () => {
  let stage: SandboxStage;
  let control: ReturnType<typeof controlOf>;
  const page = async (path: string): Promise<Page> => (await control.get<Page>(path)).body;
  const references = async (path: string) => (await page(path)).items.map(({ reference }) => reference);
  const at = (path: string, name: 'before' | 'after', cursor: string | null) =>
    `${path}&${name}=${encodeURIComponent(cursor ?? 'none')}`;

  beforeEach(async () => {
    stage = await setSandboxStage();
    control = controlOf(stage.sandbox);
  });
  afterEach(() => stage.close());

  it('come in pages, from the newest to the oldest and back', async () => {
    for (let number = 1; number <= 7; number += 1) {
      await stage.gateway.collect({ reference: `order-${number}` });
    }
    const newest = await page('/payments?limit=3');
    expect(newest).toMatchObject({ total: 7, found: 7, newer: 0, after: null });
    const middle = await page(at('/payments?limit=3', 'before', newest.before));
    expect(middle.newer).toBe(3);
    const oldest = await page(at('/payments?limit=3', 'before', middle.before));
    expect(oldest).toMatchObject({ newer: 6, before: null });
    expect([oldest, middle, newest].flatMap(({ items }) => items.map(({ reference }) => reference))).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((number) => `order-${number}`),
    );

    const fromOldest = await page('/payments?limit=3&after=');
    expect(fromOldest).toMatchObject({ newer: 4, before: null });
    expect(await references(at('/payments?limit=3', 'after', fromOldest.after))).toEqual([
      'order-4',
      'order-5',
      'order-6',
    ]);
  });

  it('have the payments of all merchants in the order of their time', async () => {
    for (const [reference, merchant] of [
      ['a', 'demo'],
      ['b', 'other'],
      ['c', 'demo'],
    ] as const) {
      await stage.gateway.collect({ reference }, { merchant });
      await stage.sandbox.clock.advance('1s');
    }
    expect(await references('/payments?limit=2')).toEqual(['b', 'c']);
  });

  it('continue from an entry that no longer fits', async () => {
    for (const reference of ['a', 'b', 'c', 'd']) await stage.gateway.collect({ reference });
    const { before } = await page('/payments?open=true&limit=2');
    await stage.sandbox.customer('255712345678').approve('c');
    expect(await references(at('/payments?open=true', 'before', before))).toEqual(['a', 'b']);
    expect(await references(at('/payments?open=true', 'after', before))).toEqual(['d']);
  });

  it('find text of an entry in any case', async () => {
    await stage.gateway.collect({ reference: 'ORDER-77', customer_name: 'Neema Mushi' });
    await stage.gateway.collect({ reference: 'order-8', phone: '255752000088' });
    await stage.gateway.payToBank({ remarks: 'Salary of May' });
    await stage.gateway.payToPhone();
    await stage.sandbox.customer('255752000088').approve('order-8');

    expect(await page('/payments?q=r-7')).toMatchObject({ total: 2, found: 1 });
    expect(await references('/payments?q=neema')).toEqual(['ORDER-77']);
    expect(await references('/payments?q=752000088')).toEqual(['order-8']);
    expect(await references('/payments?q=%20')).toHaveLength(2);
    expect(await references('/payments?q=nobody')).toEqual([]);
    expect(await references('/payouts?q=of%20may')).toEqual(['salary-1']);
    expect(await references('/deliveries?q=ORDER-8')).toEqual(['order-8']);
    expect((await page('/requests?q=neema')).found).toBe(1);
    expect((await page('/requests?q=disbursement_initiated')).found).toBe(2);
  });

  it('keep what went wrong', async () => {
    const { sandbox, gateway, receiver } = stage;
    const customer = sandbox.customer('255712345678');
    for (const reference of ['paid', 'declined', 'open', 'cancelled', 'expired'])
      await gateway.collect({ reference });
    receiver.answerWith(500, 200);
    await customer.decline('declined');
    await customer.approve('paid');
    await control.post('/payments/cancelled/cancel');
    await control.post('/payments/expired/expire');
    await gateway.payToBank({ reference: 'refused' });
    await sandbox.payout('refused').fail();
    await gateway.payToBank({ reference: 'open' });
    await gateway.collect({ reference: 'paid' });

    expect(await references('/payments?failed=true')).toEqual(['declined', 'cancelled', 'expired']);
    expect(await references('/payments?failed=false')).toEqual(['paid', 'open']);
    expect(await references('/payments?open=true')).toEqual(['open']);
    expect(await references('/payouts?failed=true')).toEqual(['refused']);
    expect(await references('/payouts?open=true')).toEqual(['open']);
    expect(await references('/deliveries?failed=true')).toEqual(['declined']);
    expect((await page('/requests?failed=true')).items).toMatchObject([{ code: 'DUPLICATE_REFERENCE' }]);
    await sandbox.clock.advance('5s');
    expect(await references('/deliveries?failed=true')).toEqual([]);
  });

  it('show with a payment how its newest webhook fares', async () => {
    const { sandbox, gateway, receiver } = stage;
    for (const reference of ['a', 'b']) await gateway.collect({ reference });
    receiver.answerWith(500);
    await sandbox.customer('255712345678').approve('a');
    const [delivery] = sandbox.deliveries();
    expect((await page('/payments')).items).toMatchObject([
      {
        webhook: {
          id: delivery!.id,
          event: 'payment.success',
          state: 'waiting',
          attempts: 1,
          problem: 'answered 500 instead of 200',
          next_attempt_at: delivery!.next_attempt_at,
        },
      },
      { webhook: null },
    ]);
  });

  const lists = Object.entries(controlDocument.paths)
    .filter(([path]) => ['/payments', '/payouts', '/deliveries', '/requests', '/balance'].includes(path))
    .flatMap(([path, { get }]) => filtersOf(get).map((filter) => [path, filter] as const));

  it.each(lists)('obey %s?%s', async (path, filter) => {
    const { sandbox, gateway } = stage;
    await gateway.collect();
    await gateway.payToBank();
    await sandbox.customer('255712345678').approve('order-1');
    const all = await page(path);
    expect(all.found).toBeGreaterThan(0);
    const flag = ['open', 'failed'].includes(filter);
    const shares = await Promise.all(
      (flag ? ['true', 'false'] : ['something-else']).map(
        async (value) => (await page(`${path}?${filter}=${value}`)).found,
      ),
    );
    expect(shares.reduce((sum, share) => sum + share, 0)).toBe(flag ? all.found : 0);
  });

  it('find what has no value by an empty filter, and `null` as a name', async () => {
    const merchants = [{ merchant: 'null' }, { merchant: 'demo' }];
    for (const [index, from] of merchants.entries()) {
      await stage.gateway.collect({ reference: `order-${index}` }, from);
    }
    await fetch(`${stage.sandbox.baseUrl}/merchant-balance`);
    expect(await references('/requests?merchant=null')).toEqual(['order-0']);
    expect((await page('/requests?merchant=')).items).toMatchObject([{ merchant: null, status: 401 }]);
  });

  it.each([
    ['/payments?before=', 'BAD_CURSOR'],
    ['/payments?after=gone', 'BAD_CURSOR'],
    ['/payments?before=&after=', 'BAD_CURSOR'],
    ['/deliveries?failed=yes', 'BAD_FILTER'],
    ['/payouts?open=maybe', 'BAD_FILTER'],
    ['/payments?merchant=nobody&open=maybe', 'BAD_FILTER'],
    ['/payments?limit=0', 'BAD_LIMIT'],
  ])('refuse %s', async (path, code) => {
    await stage.gateway.collect();
    await stage.sandbox.customer('255712345678').approve('order-1');
    const answer: ControlAnswer<ControlErrorBody> = await control.get(path);
    expect([answer.status, answer.body.error.code]).toEqual([400, code]);
  });
});

/** The parameters of a list that choose entries. */
function filtersOf(operation: unknown): readonly string[] {
  const { parameters = [] } = operation as { parameters?: readonly { name?: string; $ref?: string }[] };
  return parameters
    .map(({ name, $ref = '' }) => name ?? FILTERS[$ref.split('/').at(-1) ?? ''] ?? '')
    .filter((name) => name !== '');
}

const FILTERS: Readonly<Record<string, string>> = { Text: 'q', Open: 'open', Failed: 'failed' };
