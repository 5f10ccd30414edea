import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../../lib/cli/command-line.js';
import { commandLine } from '../../../../lib/cli/payout/payout-session.js';
import { PAYOUT_OPTIONS } from '../../../../lib/cli/payout/payout-options.js';
import { type PayoutArguments, readArguments } from '../../../../lib/cli/payout/payout-arguments.js';

function read(...args: readonly string[]): PayoutArguments {
  const { values, positionals } = parseCommandLine(args, PAYOUT_OPTIONS, { positionals: true });
  return readArguments(values, positionals);
}

describe('the command line of payout', () => {
  it('names the batch after the file, unless it has a name of its own', () => {
    expect(read('pay/2026-11.csv', '--report')).toMatchObject({
      action: 'report',
      batch: '2026-11',
      by: '',
    });
    expect(read('2026-11', '--report').batch).toBe('2026-11');
    expect(read('pay/all.csv', '--run', '--by', ' john ', '--name', '2026-11')).toMatchObject({
      action: 'run',
      batch: '2026-11',
      by: 'john',
    });
    expect(read('--run', '--by', 'john', '--name', '2026-11').batch).toBe('2026-11');
  });

  it.each([
    [['a.csv'], 'Write one of --check, --accept'],
    [['a.csv', '--check', '--run', '--by', 'john'], 'Write one of --check, --accept'],
    [['a.csv', 'b.csv', '--check', '--by', 'john'], 'One file at a time'],
    [['--check', '--by', 'john', '--name', 'a'], 'Which file? Write payout salaries.csv --check.'],
    [['--report'], 'Which file? Write payout salaries.csv --report.'],
    [['my salaries.csv', '--report'], "'my salaries' cannot be the name of a batch: write --name 2026-11"],
    [['a.csv', '--run'], '--run needs --by <person>'],
    [['a.csv', '--check', '--by', '  '], '--check needs --by <person>'],
    [['a.csv', '--ask-again'], '--ask-again needs --by <person>: who does it?'],
    [['a.csv', '--approve', '--by', 'mary'], '--approve needs --digest <text>'],
    [['a.csv', '--accept', 'S-1', '--by', 'john'], '--accept needs --because <text>'],
    [['a.csv', '--accept', 'S-1', '--by', 'john', '--because', ' '], '--accept needs --because <text>'],
    [['a.csv', '--run', '--by', 'john', '--digest', 'a'], '--digest belongs to --approve.'],
    [['a.csv', '--check', '--by', 'john', '--without-blocked'], '--without-blocked belongs to --approve.'],
    [['a.csv', '--run', '--by', 'john', '--again', 'b'], '--again belongs to --check.'],
    [['a.csv', '--report', '--out', 'b.csv'], '--out needs --format csv, json or summary.'],
    [['a.csv', '--report', '--format', 'csv', '--json'], 'Write --json or --format'],
    [['a.csv', '--report', '--format', 'xml'], '--format must be one of csv, json, summary.'],
    [['a.csv', '--report', '--database', ''], '--database is empty: write its value, or leave it out.'],
    [['a.csv', '--check', '--by', 'a', '--again', ''], '--again is empty: write its value, or leave it out.'],
    [['a.csv', '--list'], '--list lists every batch: leave the file and --name out, or write --report.'],
    [['--list', '--name', 'a'], '--list lists every batch'],
    [['a.csv', '--approve', '--by', 'm', '--digest', 'a', '--digest', 'b'], '--digest is written twice'],
    [['a.csv', '--report', '--database', 'a.db', '--database', 'b.db'], '--database is written twice'],
    [['a.csv', '--report', '--auth', 'basic'], '--auth must be one of headers, bearer.'],
  ])('refuses %j', (args, says) => {
    expect(() => read(...args)).toThrow(says);
  });

  it('reads keys and settlements, and refuses what is none', () => {
    const accept = (...lists: readonly string[]) =>
      read('a.csv', '--by', 'mary', '--because', 'so', ...lists.flatMap((keys) => ['--accept', keys]));
    expect(accept('S-001, S-002').accepted).toEqual(['S-001', 'S-002']);
    expect(accept('S-001', 'S-002,S-003').accepted).toEqual(['S-001', 'S-002', 'S-003']);
    // A script and an alias may both write a flag: nothing of it is lost.
    expect(read('a.csv', '--report', '--json', '--json').values.json).toBe(true);
    expect(() => accept('S-001,,S-002')).toThrow('--accept takes the keys of lines');
    const settle = (...texts: readonly string[]) =>
      read('a.csv', '--by', 'mary', ...texts.flatMap((text) => ['--settle', text]));
    expect(settle('S-001=paid', 'S-002=failed').settlements).toEqual([
      { key: 'S-001', outcome: 'paid' },
      { key: 'S-002', outcome: 'failed' },
    ]);
    expect(() => settle('S-001=paid', 'S-002=paid', 'S-001=failed')).toThrow('S-001 twice');
    for (const wrong of ['S-001', 'S-001=', 'S-001=cancelled', '=paid', 'S-001=paid=failed']) {
      expect(() => settle(wrong)).toThrow('S-001=paid or S-001=failed');
    }
  });

  it('prints a next command for the same batch in the same storage', () => {
    const from = (...args: readonly string[]): string => commandLine(read(...args), '--run --by <person>');
    expect(from('pay/2026-11.csv', '--report')).toBe(
      'npx nestjs-payments payout pay/2026-11.csv --run --by <person>',
    );
    expect(from('pay/all.csv', '--report', '--name', '2026-11', '--database', 'my data/p.db')).toBe(
      'npx nestjs-payments payout pay/all.csv --run --by <person> --name 2026-11 --database "my data/p.db"',
    );
    expect(from('--report', '--name', '2026-11', '--schema', 'pay', '--dotenv', '.env.live')).toBe(
      'npx nestjs-payments payout 2026-11 --run --by <person> --schema pay --dotenv .env.live',
    );
  });
});
