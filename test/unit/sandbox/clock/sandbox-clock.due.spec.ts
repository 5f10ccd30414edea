import { describe, expect, it } from 'vitest';
import { type DueEvent, SandboxClock } from '../../../../lib/sandbox/clock/sandbox-clock.js';

const event = (reference: string): DueEvent => ({
  what: 'payment',
  merchant: 'demo',
  reference,
  to: 'expired',
});

describe('what the clock says of its timers', () => {
  it('is each with its time, the next one first, without those that have nothing left to do', async () => {
    const clock = new SandboxClock('manual');
    const start = clock.now();
    let open = true;
    clock.schedule(
      20,
      () => {},
      () => (open ? event('late') : undefined),
    );
    clock.schedule(
      10,
      () => {},
      () => event('early'),
    );
    clock.schedule(5, () => {});
    expect(clock.dueEvents()).toEqual([
      { due: start + 10, ...event('early') },
      { due: start + 20, ...event('late') },
    ]);
    open = false;
    expect(clock.dueEvents().map(({ reference }) => reference)).toEqual(['early']);
    expect(await clock.advanceAndTell(30)).toEqual([{ due: start + 10, ...event('early') }]);
    expect(clock.dueEvents()).toEqual([]);
  });

  it('does not grow with timers that have nothing left to do, and keeps every other one', async () => {
    const clock = new SandboxClock('manual');
    const ran: string[] = [];
    clock.schedule(1, () => ran.push('undescribed'));
    clock.schedule(
      2,
      () => ran.push('open'),
      () => event('open'),
    );
    // Its call has to be recorded, although its caller has gone.
    clock.hold(
      3,
      () => ran.push('held'),
      () => false,
      () => undefined,
    );
    for (let count = 0; count < 3_000; count += 1) {
      clock.schedule(
        4,
        () => ran.push('idle'),
        () => undefined,
      );
    }
    const { waiting } = clock as unknown as { readonly waiting: readonly unknown[] };
    expect(waiting.length).toBeLessThan(1_100);
    clock.sweep();
    await clock.advance(10);
    expect(ran).toEqual(['undescribed', 'open', 'held']);
  });

  it('is what was still to do when its time came, with what it caused on the way', async () => {
    const clock = new SandboxClock('manual');
    let open = true;
    clock.schedule(
      10,
      () => {
        open = false;
        clock.schedule(
          5,
          () => {},
          () => event('caused'),
        );
      },
      () => event('first'),
    );
    clock.schedule(
      12,
      () => {},
      () => (open ? event('overtaken') : undefined),
    );
    const happened = await clock.advanceAndTell(20);
    expect(happened.map(({ reference }) => reference)).toEqual(['first', 'caused']);
  });
});
