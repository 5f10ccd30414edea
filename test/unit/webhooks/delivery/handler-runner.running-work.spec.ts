import { expect, it } from 'vitest';
import { RunningWork } from '../../../../lib/webhooks/delivery/handler-runner.js';
import { atOnce, endedAfter } from '../../../support/event-loop.js';

const LONG_MS = 60_000;

it('waits for what runs, and for what it began meanwhile', async () => {
  const running = new RunningWork();
  let endFirst = (): void => {};
  let endSecond = (): void => {};
  const second = new Promise<void>((resolve) => (endSecond = resolve));
  const first = running.track(
    new Promise<void>((resolve) => (endFirst = resolve)).then(
      () => void running.track(second, () => 'second'),
    ),
    () => 'first',
  );
  let idle: readonly string[] | undefined;
  const waiting = running.idle(LONG_MS).then((rest) => (idle = rest));
  endFirst();
  await first;
  await new Promise(setImmediate);
  expect(idle).toBeUndefined();
  endSecond();
  expect(await atOnce(waiting)).toEqual([]);
});

it('waits no longer than said, and tells what still runs', async () => {
  const running = new RunningWork();
  void running.track(new Promise(() => {}), () => 'Orders.paid for order-1');
  expect(await endedAfter(20, () => running.idle(20))).toEqual(['Orders.paid for order-1']);
});

it('does not wait if nothing runs, and does not track failed work', async () => {
  const running = new RunningWork();
  await expect(running.track(Promise.reject(new Error('failed')), () => 'x')).rejects.toThrow('failed');
  expect(await atOnce(running.idle(LONG_MS))).toEqual([]);
});
