import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { RecoveryTally } from '../../../../lib/journal/recovery/recovery-report.js';
import { storedRecord } from '../../../support/stored-record.js';

let errors: MockInstance;

beforeEach(() => {
  errors = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('what a run reports', () => {
  it('is three counts, and no line in the log, if nothing failed', () => {
    const tally = new RecoveryTally();
    tally.add({});
    tally.add({ known: true });
    tally.add({ known: true, probed: true });
    tally.add({ known: false });
    expect(tally.report()).toEqual({ probed: 1, settled: 2, stillUnknown: 1 });
    expect(errors).not.toHaveBeenCalled();
  });

  it('counts the planned payments that were sent, if there are any', () => {
    const tally = new RecoveryTally();
    tally.add({ known: true, sent: true });
    tally.add({ known: false, sent: true });
    expect(tally.report()).toEqual({ probed: 0, sent: 2, settled: 1, stillUnknown: 1 });
  });

  it('says that it is not finished', () => {
    const tally = new RecoveryTally();
    tally.unfinished = true;
    expect(tally.report()).toEqual({ probed: 0, settled: 0, stillUnknown: 0, unfinished: true });
  });

  it('says in one line whose status queries the gateway limits, and is not finished then', () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const tally = new RecoveryTally(true);
    for (let number = 1; number <= 12; number += 1) {
      tally.holdBack(`shop-${number}`);
      tally.holdBack(`shop-${number}`);
    }
    expect(tally.report()).toMatchObject({ unfinished: true });
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^recover\(\) asks .* of "shop-1", .*"shop-10" and 2 more, because .*429/)],
    ]);
    const two = new RecoveryTally(true);
    two.holdBack('a');
    two.holdBack('b');
    two.report();
    expect(warn).toHaveBeenLastCalledWith(expect.stringContaining('payment of "a", "b", because'));
  });

  it('names ten payments that failed, and counts the others', async () => {
    const tally = new RecoveryTally();
    for (let at = 1; at <= 12; at += 1)
      await tally.addEnd(storedRecord({ reference: `order-${at}` }), Promise.reject(new Error('secret')));
    expect(tally.report()).toEqual({ probed: 0, settled: 0, stillUnknown: 0, failed: 12 });
    expect(errors).toHaveBeenCalledTimes(1);
    const [line] = errors.mock.calls[0] as [string];
    expect(line).toMatch(
      /^recover\(\) failed for collection "order-1" \(.+"order-10" \([^)]+\) and 2 more: the next run/,
    );
    expect(line).not.toContain('secret');
  });

  it('counts a payment that it must not touch as unknown, and names it', () => {
    const tally = new RecoveryTally();
    tally.passOver(storedRecord(), 'its request cannot be read');
    expect(tally.report()).toEqual({ probed: 0, settled: 0, stillUnknown: 1 });
    expect(errors.mock.calls).toEqual([
      [
        expect.stringContaining(
          'recover() sent nothing for collection "order-1" (its request cannot be read): unresolved() lists them',
        ),
      ],
    ]);
  });
});
