import { describe, expect, it } from 'vitest';
import { type BatchProgress } from '../../../../lib/batches/index.js';
import { exitCodeOf } from '../../../../lib/cli/payout/exit-code.js';
import { durationText, Pace, progressIn } from '../../../../lib/cli/payout/progress-text.js';

/** A progress with so many lines in each state. */
function progress(
  lines: Partial<Record<keyof BatchProgress['byState'], number>>,
  state: BatchProgress['state'] = 'running',
): BatchProgress {
  const sums = Object.entries(lines).map(([name, count]) => [name, { lines: count, amount: '0.00' }]);
  const total = Object.values(lines).reduce((sum, count) => sum + count, 0);
  return { state, total: { lines: total, amount: '0.00' }, byState: Object.fromEntries(sums) as never };
}

describe('how far a batch is', () => {
  it('counts every line with an outcome, and leaves blocked lines out of what is paid', () => {
    const now = progress({ accepted: 5, unknown: 2, refused: 1, checked: 10, sending: 2, blocked: 4 });
    expect(progressIn('pay', now)).toEqual({
      done: 8,
      total: 20,
      outcomes: '; accepted 5, unknown 2, refused 1',
    });
  });

  it('counts blocked lines among those that are checked', () => {
    expect(progressIn('check', progress({ waiting: 7, checked: 2, blocked: 1 }))).toEqual({
      done: 3,
      total: 10,
      outcomes: '; blocked 1',
    });
  });

  it('knows the rate of this process alone, and the time that is left at it', () => {
    const pace = new Pace();
    const at = (done: number, nowMs: number): string => pace.of({ done, total: 1_000, outcomes: '' }, nowMs);
    expect(at(400, 5_000)).toBe('');
    expect(at(400, 6_000)).toBe('');
    expect(at(420, 7_000)).toBe(', 10.0 a second, 58 s left');
    expect(at(1_000, 15_000)).toBe(', 60.0 a second');
  });

  it.each([
    [0.2, '1 s'],
    [59.5, '1 min 0 s'],
    [61, '1 min 1 s'],
    [3_661, '1 h 1 min'],
  ])('writes %d seconds as %s', (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });
});

describe('the exit code', () => {
  it.each([
    [0, progress({ accepted: 3, paid: 1 }, 'ended')],
    [3, progress({ accepted: 3, unknown: 1, refused: 1 }, 'paused')],
    [3, progress({ accepted: 3, sending: 1 }, 'ended')],
    [4, progress({ accepted: 3, checked: 1, refused: 1 }, 'paused')],
    [4, progress({ accepted: 3, checked: 1 }, 'cancelled')],
    [5, progress({ accepted: 3, refused: 1 }, 'ended')],
    [5, progress({ accepted: 3, failed: 1 }, 'ended')],
    [5, progress({ accepted: 3, blocked: 1 }, 'ended')],
    [5, progress({ accepted: 3, waiting: 1 }, 'ended')],
  ])('is %i where it has to be', (code, now) => {
    expect(exitCodeOf(now)).toBe(code);
  });
});
