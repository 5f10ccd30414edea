import { describe, expect, it } from 'vitest';
import { composeSandbox } from '../../../lib/sandbox/compose.js';
import { resolveSandboxOptions } from '../../../lib/sandbox/resolve-sandbox-options.js';

const compose = (seed = 1) => composeSandbox(resolveSandboxOptions({ clock: 'manual', seed }));
const plan = ({ faults }: ReturnType<typeof compose>, merchant?: string) =>
  faults.add({ operation: 'GET /wallets/balance', merchant }, { kind: 'hang' });

describe('the parts of an emulator', () => {
  it('report all faults that were planned in one turn at once, after that turn', async () => {
    const sandbox = compose();
    const reported: unknown[] = [];
    sandbox.activity.on('faults', ({ items }) => reported.push(items.map(({ left }) => left)));
    plan(sandbox);
    plan(sandbox).left = 3;
    expect(reported).toEqual([]);
    await Promise.resolve();
    expect(reported).toEqual([[1, 3]]);
    plan(sandbox);
    await Promise.resolve();
    expect(reported).toHaveLength(2);
  });

  it('report the clock when it moves', async () => {
    const { activity, clock } = compose();
    const reported: string[] = [];
    activity.on('clock', ({ now }) => reported.push(now));
    await clock.advance('1s');
    expect(reported).toEqual([new Date(clock.now()).toISOString()]);
  });

  it('are cleared for one merchant or for all, and only a reset is reported', async () => {
    const sandbox = compose();
    let resets = 0;
    sandbox.activity.on('reset', () => (resets += 1));
    for (const merchant of ['one', 'two']) {
      plan(sandbox, merchant);
      sandbox.gateway.merchant(merchant);
    }
    const left = () => [
      sandbox.faults.list().map(({ merchant }) => merchant),
      sandbox.gateway.merchants.map(({ name }) => name),
    ];
    await sandbox.clear('one');
    expect([left()[0], resets]).toEqual([['two'], 0]);
    await sandbox.reset();
    expect([left(), resets]).toEqual([[[], []], 1]);
  });

  it('forget what they had planned when all of it is cleared', async () => {
    const { clock, clear } = compose();
    const event = { what: 'payment', merchant: 'one', reference: 'order-1', to: 'expired' } as const;
    clock.schedule(
      1_000,
      () => {},
      () => event,
    );
    await clear('one');
    expect(clock.dueEvents().length).toBe(1);
    await clear();
    expect(clock.dueEvents().length).toBe(0);
  });

  it('draw the same ids and chances from the same seed', () => {
    const drawn = (seed: number) => {
      const sandbox = compose(seed);
      const target = { operation: 'GET /wallets/balance' };
      const strikes = Array.from({ length: 32 }, () => {
        sandbox.faults.clear();
        plan(sandbox).probability = 0.5;
        return sandbox.faults.take(target) !== undefined;
      });
      return [sandbox.idsOf('shop').uuid(), strikes];
    };
    const [id, strikes] = drawn(1);
    expect(drawn(1)).toEqual([id, strikes]);
    expect(drawn(2)[0]).not.toEqual(id);
    expect(drawn(2)[1]).not.toEqual(strikes);
  });
});
