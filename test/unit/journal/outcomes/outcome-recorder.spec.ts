import { expect, it } from 'vitest';
import { OutcomeNotifier } from '../../../../lib/journal/outcomes/outcome-recorder.js';
import { journalRecord } from '../../../support/journal-contract.js';

const ONE = journalRecord('order-1');
const OTHER = journalRecord('order-2');

it('calls those who wait for a payment, until they stop', () => {
  const watch = new OutcomeNotifier();
  const called: string[] = [];
  const stop = watch.on(ONE, () => called.push('first'));
  watch.on(ONE, () => called.push('second'));
  watch.on(OTHER, () => called.push('other'));
  watch.changed(ONE);
  stop();
  stop();
  watch.changed(ONE);
  expect(called).toEqual(['first', 'second', 'second']);
});

it('keeps nothing of a payment for which nobody waits any more', () => {
  const watch = new OutcomeNotifier();
  const { waiting } = watch as unknown as { readonly waiting: ReadonlyMap<string, unknown> };
  const stops = [watch.on(ONE, () => {}), watch.on(ONE, () => {})];
  stops[0]!();
  expect(waiting.size).toBe(1);
  stops[1]!();
  expect(waiting.size).toBe(0);
  // Who stops twice does not take away who came later.
  watch.on(ONE, () => {});
  stops[1]!();
  expect(waiting.size).toBe(1);
});
