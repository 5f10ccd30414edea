import { beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox, type SandboxState } from 'nestjs-payments/sandbox';
import { eventually } from '../../support/eventually.js';
import { callerOf, COLLECTION } from '../../support/gateway-caller.js';
import { profileWith } from '../../support/gateway-profiles.js';
import { startSandbox } from '../../support/sandbox.js';
import { startReceiver } from '../../support/webhook-receiver.js';

const FAULT = {
  id: '1',
  operation: 'GET /merchant-balance',
  left: 1,
  probability: 1,
  fault: { kind: 'hang' },
};
const ENTRY = { at: '2026-01-01T00:00:00Z', what: 'payment', id: null, facts: {}, text: 'pending' };
const BANK = { id: 1, name: 'Baobab Savings Bank', code: 'BSB' };

const dataOf = (sandbox: PaymentsSandbox) => sandbox.export().parts;

/** The subjects whose answers the profile counts. */
const countedIn = (sandbox: PaymentsSandbox) => dataOf(sandbox).filter(([[kind]]) => kind === 'answered');

function urlsOf({ parts }: SandboxState): readonly unknown[] {
  return parts.filter(([[kind]]) => kind === 'endpoint').map(([, value]) => (value as { url: string }).url);
}

describe('an import', () => {
  let sandbox: PaymentsSandbox;
  let gateway: ReturnType<typeof callerOf>;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 5 });
    gateway = callerOf(sandbox);
    sandbox.deliverTo('http://127.0.0.1:9/webhooks');
  });

  it('takes every kind of part that an export has', async () => {
    await gateway.collect();
    await gateway.post('/payments/partnerpesa', { ...COLLECTION, reference: 'wallet-1' });
    await gateway.payToBank();
    await gateway.payToPhone();
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    sandbox.directory.close('0123456789');
    sandbox.directory.register('0712345678', 'Asha Mrema');
    sandbox.next('GET /merchant-balance').status(500, { retryAfter: 2 }).probability(0.5);
    sandbox.next('POST /payments/mobile-money').delay('1.5s').times(2);
    await sandbox.clock.advance('2m');
    const state = sandbox.export();
    expect(new Set(state.parts.map(([[kind]]) => kind)).size).toBe(15);
    const other = await startSandbox({ clock: 'manual', webhookSecret: sandbox.webhookSecret, seed: 5 });
    await other.import(JSON.parse(JSON.stringify(state)) as SandboxState);
    expect(dataOf(other)).toEqual(dataOf(sandbox));
  });

  it('takes the tries of an earlier version, which say nothing of where they went', async () => {
    await gateway.collect();
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    const [before] = sandbox.deliveries();
    const text = JSON.stringify(sandbox.export(), (key, value: unknown) =>
      key === 'attempts' ? (value as { url: string }[]).map(({ url: _, ...rest }) => rest) : value,
    );
    await sandbox.import(JSON.parse(text) as SandboxState);
    await sandbox.clock.advance('1m');
    const [first, second] = before!.attempts;
    expect([first?.url, second]).toEqual(['http://127.0.0.1:9/webhooks', undefined]);
    expect(sandbox.deliveries()[0]!.attempts).toMatchObject([{ ...first, url: null }, { url: first!.url }]);
  });

  it.each<[name: string, moved: number, replace: (snapshot: SandboxState) => Promise<void>]>([
    ['import', 0, (snapshot) => sandbox.import(snapshot)],
    ['reset', 2_000, () => sandbox.reset()],
  ])('ends an advance that runs, and so does a reset (%s)', async (_, moved, replace) => {
    const start = sandbox.clock.now();
    await gateway.collect({ reference: 'order-of-the-snapshot' });
    const snapshot = sandbox.export();
    const receiver = await startReceiver();
    receiver.answerWith('never');
    sandbox.deliverTo(receiver.url);
    await gateway.collect({ reference: 'order-1', phone: '255712340001' });
    const advanced = sandbox.clock.advance('1h');
    await eventually(() => {
      expect(receiver.received).toHaveLength(1);
    });
    await replace(snapshot);
    await gateway.collect({ reference: 'order-2' });
    await advanced;
    expect(sandbox.clock.now() - start).toBe(moved);
    const states = sandbox.payments().map(({ status }) => status);
    expect(new Set(states)).toEqual(new Set(['pending']));
    await receiver.close();
  });

  it('takes a wallet that an earlier version let begin with more than any amount', async () => {
    await gateway.collect();
    const money = { available: '1'.padEnd(40, '0'), adjustments: [{ at: 0, cents: '-1'.padEnd(41, '0') }] };
    const state = sandbox.export();
    const parts = state.parts.map(([name, value]) =>
      name[0] === 'merchant'
        ? ([name, { ...(value as object), ...money }] as const)
        : ([name, value] as const),
    );
    await sandbox.import({ ...state, parts });
    expect(sandbox.balance().available_balance).toBe(1e37);
  });

  it.each<[key: readonly string[], change: object]>([
    [['clock'], { skew: 'zzz' }],
    [['clock'], { skew: 1e300 }],
    [['clock'], { stoppedAt: null }],
    [['clock'], { skew: 8.64e15 - Date.UTC(2026, 0, 1, 9) - 86_400_000 }],
    [['counters'], { requests: -1 }],
    [['settings'], { webhookSecret: 7 }],
    [['faults'], { waiting: [{}] }],
    [['merchant', 'demo'], { available: '-1' }],
    [['merchant', 'demo'], { adjustments: [{ at: 0, cents: '1', reference: 7 }] }],
    [['payment', 'demo', 'order-1'], { status: 'nonsense' }],
    [['payment', 'demo', 'order-1'], { amountCents: 'many' }],
    [['payment', 'demo', 'order-1'], { plan: {} }],
    [['payment', 'demo', 'order-1'], { merchant: 'shop' }],
    [['payment', 'demo', 'order-1'], { request: { ...COLLECTION, reference: 'order-2' } }],
    [['payment', 'demo', 'order-1'], { request: { reference: 'order-1' } }],
    [['faults'], { waiting: [{ ...FAULT, operation: 'POST /x' }] }],
    [['faults'], { waiting: [{ ...FAULT, left: 0 }] }],
    [['faults'], { waiting: [{ ...FAULT, fault: { kind: 'status', status: 503 } }] }],
    [['faults'], { waiting: [{ ...FAULT, fault: { kind: 'status', status: 99, options: {} } }] }],
    [['faults'], { waiting: [{ ...FAULT, fault: { kind: 'html', status: 600 } }] }],
    [['faults'], { waiting: [{ ...FAULT, fault: { kind: 'delay' } }] }],
    [['faults'], { waiting: [{ ...FAULT, fault: { kind: 'drip' } }] }],
    [['payout', 'demo', 'salary-1'], { status: 'success' }],
    [['payout', 'demo', 'salary-1'], { recipient: { kind: 'person' } }],
    [['endpoint', 'default'], { url: 'file:///etc/hosts' }],
    [['endpoint', 'default'], { url: 'http://192.0.2.2/hook' }],
    [['endpoint', 'default'], { secrets: [{}] }],
    [['endpoint', 'default'], { secrets: [] }],
    [['endpoint', 'default'], { secrets: [{ text: 'a-secret-of-the-shop-1', createdAt: 0, expiresAt: 1 }] }],
    [['endpoint', 'default'], { id: 'another' }],
    [['delivery'], { state: 'lost' }],
    [['delivery'], { lateCopiesAt: null }],
    [['delivery'], { attempts: [{ number: 1, at: 0, url: 7, forged: false, headers: {} }] }],
    [['request', '1'], { headers: 5 }],
    [['timeline', 'demo', 'order-1', '0'], { at: 5 }],
  ])('changes nothing if an import has %j with %j', async (key, change) => {
    await gateway.collect();
    await gateway.payToBank();
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    const state = sandbox.export();
    const before = dataOf(sandbox);
    const found = state.parts.findIndex(([name]) => key.every((words, index) => name[index] === words));
    const [name, value] = state.parts[found]!;
    const parts = state.parts.map((part, index) =>
      index === found ? ([name, { ...(value as object), ...change }] as const) : part,
    );
    await expect(sandbox.import({ ...state, parts })).rejects.toThrow(
      `The part ${name.join(' ')} of the state cannot be used: `,
    );
    expect(dataOf(sandbox)).toEqual(before);
  });

  it.each<[name: readonly string[], value: unknown]>([
    [['banks'], [{}]],
    [['banks'], [BANK, { ...BANK, id: 2 }]],
    [['merchant', '../x y'], { available: '5', locked: '0' }],
    [['ids', 'demo'], 'NaN'],
    [['directory', ''], [['0712345678', 7]]],
    [['key', 'demo', 'key-1'], { request: true }],
    [['plugin', 'demo'], {}],
    [['timeline', 'demo', 'order-1', 'last'], ENTRY],
    [['timeline', 'demo', 'order-1'], ENTRY],
    [['toString'], {}],
  ])('changes nothing if an import has %j as %j', async (name, value) => {
    await gateway.collect();
    const state = sandbox.export();
    const parts = [...state.parts, [name, value] as const];
    await expect(sandbox.import({ ...state, parts })).rejects.toThrow(/cannot be used/);
    expect(sandbox.payments()).toHaveLength(1);
  });

  it.each([
    ['documented', {}],
    ['observed', { profile: profileWith({}) }],
  ])(
    'brings the counts of an adversarial emulator to one emulator alone, until its reset (%s)',
    async (_, options) => {
      const adversarial = await startSandbox({ clock: 'manual', profile: 'adversarial' });
      await callerOf(adversarial).collect({ reference: 'order-of-another-shop' });
      const importing = await startSandbox({ clock: 'manual', ...options });
      await importing.import(adversarial.export());
      expect(countedIn(importing)).toHaveLength(1);
      const other = await startSandbox({ clock: 'manual', ...options });
      expect(countedIn(other)).toEqual([]);
      await importing.merchant('demo').reset();
      expect(countedIn(importing)).toEqual([]);
    },
  );

  it('is imported from a sandbox that may deliver elsewhere only by another one', async () => {
    const options = { clock: 'manual', allowRemoteWebhooks: true } as const;
    const remote = await startSandbox(options);
    remote.deliverTo('http://192.0.2.2/webhooks');
    const state = remote.export();
    await expect(sandbox.import(state)).rejects.toThrow('is not on this machine');
    const other = await startSandbox(options);
    await other.import(state);
    expect(urlsOf(other.export())).toEqual(['http://192.0.2.2/webhooks']);
  });

  it('is refused for its version if it was made before each merchant had its own chances of a fault', async () => {
    const state = sandbox.export();
    const parts = state.parts.map(([name, value]) =>
      name[0] === 'faults'
        ? ([name, { planned: 0, chance: 0, waiting: [] }] as const)
        : ([name, value] as const),
    );
    await expect(sandbox.import({ ...state, version: 1 as 2, parts })).rejects.toThrow(
      'The import has version 1 of the format, and this package reads version 2',
    );
  });

  it('is not imported from another version, or from something else', async () => {
    await gateway.collect();
    const state = sandbox.export();
    await expect(sandbox.import({ ...state, version: 3 as 2 })).rejects.toThrow(/version 3/);
    await expect(sandbox.import({} as never)).rejects.toThrow(/holds no state/);
    expect(sandbox.payments()).toHaveLength(1);
  });
});
