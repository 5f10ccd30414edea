import { beforeEach, describe, expect, it } from 'vitest';
import { stripVTControlCharacters } from 'node:util';
import { progressText } from '../src/console/run-progress.js';
import { Screen } from '../src/console/screen.js';
import { PayProgress } from '../src/pay/pay-progress.js';
import { type LineResult } from '../src/pay/line-state.js';

const CLEAR = '\r\u001B[2K';
const ACCEPTED: LineResult = { state: 'accepted', detail: '' };
const UNKNOWN: LineResult = { state: 'unknown', detail: 'no certain answer came' };
const ROW = {
  line: 2,
  reference: 'S-1',
  name: 'Asha Mushi',
  amount: '1000.00',
  recipient: { kind: 'mobile', phone: '255712345601' },
  remarks: undefined,
} as const;

let out: string;
let err: string;

beforeEach(() => {
  out = '';
  err = '';
  delete process.env['NO_COLOR'];
});

function screen(isTTY: boolean): Screen {
  return new Screen({ isTTY, write: (text) => (out += text) }, { isTTY, write: (text) => (err += text) });
}

const FRESH = { total: 3, before: [] };
/** A clock that goes on by half a second at each look. */
function clock(): () => number {
  let time = 0;
  return () => (time += 500);
}

describe('the progress of a run', () => {
  it('is a bar with rate and time left on a terminal, with a line above it for what is not sure', () => {
    const progress = new PayProgress(screen(true), FRESH, clock());
    progress.show(ROW, ACCEPTED);
    expect(out).toBe(`${CLEAR}████████░░░░░░░░░░░░░░░░ 1/3, 2.0 a second, 1s left: 1 accepted`);
    out = '';
    progress.show(ROW, UNKNOWN);
    expect(out).toMatch(/^\r.\[2K2\/3 line 2 S-1 Asha Mushi .*unknown.*: no certain answer came\n/);
    expect(
      out.endsWith(`${CLEAR}████████████████░░░░░░░░ 2/3, 2.0 a second, 1s left: 1 accepted, 1 unknown`),
    ).toBe(true);
    out = '';
    progress.end();
    expect(out).toBe(CLEAR);
  });

  it('goes on where an earlier start ended, at the rate of this one', () => {
    const before = Array.from({ length: 9 }, () => 'accepted' as const);
    const progress = new PayProgress(screen(true), { total: 12, before }, clock());
    progress.show(ROW, ACCEPTED);
    expect(out).toContain('░ 10/12, 2.0 a second, 1s left: 10 accepted');
    expect(out.match(/█/g)).toHaveLength(20);
  });

  it('is a plain line for each salary elsewhere', () => {
    const progress = new PayProgress(screen(false), FRESH);
    progress.show(ROW, ACCEPTED);
    progress.end();
    expect(out).toMatch(/^1\/3 line 2 S-1 Asha Mushi \S+\s1,000 accepted\n$/);
  });
});

describe('the time that is left', () => {
  it.each([
    [{ total: 100, before: 0, done: 0, elapsedMs: 100 }, '0/100'],
    [{ total: 100, before: 0, done: 10, elapsedMs: 2_000 }, '10/100, 5.0 a second, 20s left'],
    [{ total: 1_000, before: 500, done: 10, elapsedMs: 10_000 }, '510/1000, 1.0 a second, 8m10s left'],
    [{ total: 9_000, before: 0, done: 1, elapsedMs: 1_000 }, '1/9000, 1.0 a second, 2h30m left'],
    [{ total: 10, before: 5, done: 5, elapsedMs: 1_000 }, '10/10, 5.0 a second, 0s left'],
  ])('of %j is %s', (state, text) => {
    expect(progressText(state).replace(/^[█░]+ /, '')).toBe(text);
  });
});

describe('the screen', () => {
  it('has colours on a terminal only, and none with NO_COLOR', () => {
    screen(true).line({ look: 'red', text: 'stop' });
    expect(out).toBe('\u001B[31mstop\u001B[39m\n');
    out = '';
    screen(false).line({ look: 'red', text: 'stop' });
    process.env['NO_COLOR'] = '1';
    screen(true).line({ look: 'red', text: 'stop' });
    expect(out).toBe('stop\nstop\n');
  });

  it('obeys no control characters of names', () => {
    screen(true).line('Asha\u001B[2J\u202EMushi\n', { look: 'bold', text: 'line\rline' });
    expect(stripVTControlCharacters(out)).toBe('Asha\uFFFD[2J\uFFFDMushi\uFFFDline\uFFFDline\n');
  });

  it('keeps the counting line below a problem', () => {
    const terminal = screen(true);
    terminal.progress('Paying 1/3');
    terminal.problem('warning: slow');
    expect(err).toBe('warning: slow\n');
    expect(out).toBe(`${CLEAR}Paying 1/3${CLEAR}Paying 1/3`);
  });
});
