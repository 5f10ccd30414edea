import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SandboxClock } from '../../../../lib/sandbox/clock/sandbox-clock.js';

describe('the sandbox clock', () => {
  let clock: SandboxClock;
  let ran: string[];

  const note = (name: string) => () => {
    ran.push(`${name}@${clock.now() - start}`);
  };
  let start: number;

  beforeEach(() => {
    ran = [];
    clock = new SandboxClock('manual');
    start = clock.now();
  });

  afterEach(() => {
    clock.clear();
  });

  it('does not move until it is advanced', async () => {
    expect(clock.now()).toBe(start);
    await clock.advance('90s');
    expect(clock.now()).toBe(start + 90_000);
  });

  it('runs what is due in the order of time, first come first served, each at its own time', async () => {
    clock.schedule(30, note('late'));
    clock.schedule(10, note('early'));
    clock.schedule(10, note('early too'));
    clock.schedule(31, note('never'));
    await clock.advance(30);

    expect(ran).toEqual(['early@10', 'early too@10', 'late@30']);
  });

  it('runs what a timer schedules within the same advance', async () => {
    clock.schedule(10, () => {
      clock.schedule(5, note('follow-up'));
    });
    await clock.advance(20);
    expect(ran).toEqual(['follow-up@15']);
  });

  it.each(['manual', 'real'] as const)('continues after a timer that failed (%s)', async (kind) => {
    clock = new SandboxClock(kind);
    clock.schedule(3_600_000, () => {
      throw new Error('it is broken');
    });
    const later = new Promise<void>((resolve) => {
      clock.schedule(3_600_001, resolve);
    });
    await expect(clock.advance('1h')).rejects.toThrow('it is broken');
    // The real clock needs nobody to advance it.
    if (kind === 'manual') await clock.advance(1);
    await later;
  });

  it('gives sockets a turn between many timers, and keeps their order', async () => {
    const order: number[] = [];
    const turns: number[] = [];
    for (let number = 0; number < 450; number += 1) clock.schedule(10, () => order.push(number));
    let turn = setImmediate(function watch() {
      turns.push(order.length);
      turn = setImmediate(watch);
    });
    await clock.advance(10);
    clearImmediate(turn);
    expect(turns).toEqual([100, 200, 300, 400]);
    expect(order).toEqual(Array.from({ length: 450 }, (_, number) => number));
  });

  it('runs nothing that was cleared', async () => {
    clock.schedule(10, note('cleared'));
    clock.clear();
    await clock.advance(10);
    expect(ran).toEqual([]);
  });

  it('waits for what each timer caused before it continues', async () => {
    const finished: (() => void)[] = [];
    const running = new Set<Promise<void>>();
    clock = new SandboxClock('manual', () => running);
    clock.schedule(10, () => {
      const work = new Promise<void>((resolve) => finished.push(resolve));
      running.add(work);
      void work.then(() => running.delete(work));
    });
    clock.schedule(20, note('next'));
    const done = clock.advance(20);
    await new Promise(setImmediate);
    expect(ran).toEqual([]);

    finished[0]?.();
    await done;
    expect(ran).toEqual(['next@20']);
  });

  it('ends where dates end, and can be advanced less far', async () => {
    const end = new SandboxClock('manual');
    end.restore({ kind: 'manual', skew: 8.6e15 });
    const now = end.now();
    const centuries = async (): Promise<void> => {
      for (;;) await end.advance('36525d');
    };
    await expect(centuries()).rejects.toThrow(/^The clock ends at \+\d{6}-.*: advance it less far/);
    expect(new Date(end.now() + 36_525 * 86_400_000).getTime()).toBeGreaterThan(now);
    await end.advance('1ms');
  });

  it('takes one advance after the other', async () => {
    clock.schedule(15, note('timer'));
    await Promise.all([clock.advance(10), clock.advance(10)]);
    expect(ran).toEqual(['timer@15']);
    expect(clock.now()).toBe(start + 20);
  });

  it('ends each advance that was called before it was cleared, and goes on from where it was restored', async () => {
    const finished: (() => void)[] = [];
    const running = new Set<Promise<void>>();
    clock = new SandboxClock('manual', () => running);
    clock.schedule(10, () => {
      const work = new Promise<void>((resolve) => finished.push(resolve));
      running.add(work);
      void work.then(() => running.delete(work));
    });
    const [underWay, waiting] = [clock.advance(20), clock.advance(20)];
    await new Promise(setImmediate);
    clock.clear();
    clock.restore({ kind: 'manual', skew: 7 });
    clock.schedule(5, note('later'));
    finished[0]?.();
    await Promise.all([underWay, waiting]);
    expect([clock.now() - start, ran]).toEqual([7, []]);

    await clock.advance(5);
    expect(ran).toEqual(['later@12']);
  });

  it('runs by itself when it is real', async () => {
    clock = new SandboxClock('real');
    // The clock's own timer holds no process open; this one does.
    const keepAlive = setInterval(() => {}, 1_000);
    await new Promise<void>((resolve) => {
      clock.schedule(5, resolve);
    });
    clearInterval(keepAlive);
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000);
  });

  it('may be advanced when it is real, too', async () => {
    clock = new SandboxClock('real');
    clock.schedule(3_600_000, note('timer'));
    await clock.advance('2h');
    expect(ran).toHaveLength(1);
    expect(clock.now() - Date.now()).toBeGreaterThan(7_199_000);
  });
});
