import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../../lib/cli/command-line.js';
import { RECONCILE_OPTIONS } from '../../../../lib/cli/reconcile/reconcile-options.js';
import {
  commandLine,
  READING,
  readArguments,
  type ReconcileArguments,
} from '../../../../lib/cli/reconcile/reconcile-arguments.js';

function read(...args: readonly string[]): ReconcileArguments {
  return readArguments(parseCommandLine(args, RECONCILE_OPTIONS, { positionals: false }).values);
}

describe('the command line of reconcile', () => {
  it.each([
    [['--day', '2026-11-20'], 'day'],
    [['--day', '2026-11-20', '--statement', 'a.csv', '--report', 'csv', '--time-zone', 'UTC'], 'day'],
    [['--day', '2026-11-20', '--apply', '--by', 'mary'], 'apply'],
    [['--day', '2026-11-20', '--without-statement'], 'day'],
    [['--balance'], 'balance'],
    [['--exceptions', '--json'], 'exceptions'],
    [['--explain', 'id', '--note', 'because', '--by', 'mary'], 'explain'],
    [['--statement', 'a.csv', '--preview', '--signed'], 'preview'],
    [['--day', '2026-11-20', '--statement', 'a.csv', '--preview'], 'preview'],
  ])('%j is %s', (args, action) => {
    expect(read(...args).action).toBe(action);
  });

  it('names itself if nobody is named, and prints a table', () => {
    expect(read('--day', '2026-11-20')).toMatchObject({
      by: 'npx nestjs-payments reconcile',
      format: 'table',
      auth: undefined,
    });
    expect(read('--day', '2026-11-20', '--by', ' cron ', '--report', 'journal')).toMatchObject({
      by: 'cron',
      format: 'journal',
    });
  });

  it.each([
    [[], 'Write one of --day, --balance, --exceptions and --explain, or --preview with --statement.'],
    [['--balance', '--exceptions'], 'Write one of --day, --balance'],
    [['--day', '20-11-2026'], '--day must be a date: write --day 2026-11-20.'],
    [['--day', '2026-11-20', '--apply'], '--apply needs --by <person>'],
    [['--day', '2026-11-20', '--apply', '--by', ' '], '--apply needs --by <person>'],
    [['--day', '2026-11-20', '--report', 'xml'], '--report must be one of table, markdown, csv, journal.'],
    [['--day', '2026-11-20', '--report', 'csv', '--json'], 'Write --json or --report'],
    [['--day', '2026-11-20', '--apply', '--by', 'a', '--report', 'csv'], '--apply prints what it settles'],
    [['--day', '2026-11-20', '--note', 'x'], '--note belongs to --explain.'],
    [['--day', '2026-11-20', '--columns', 'amount=Amt'], '--columns belongs to --statement.'],
    [['--explain', 'id', '--by', 'mary'], '--explain needs --note <text>'],
    [['--explain', 'id', '--note', 'because'], '--explain needs --by <person>'],
    [['--balance', '--report', 'csv'], '--report belongs to --day.'],
    [['--balance', '--time-zone', 'UTC'], '--time-zone belongs to --day.'],
    [['--balance', '--apply', '--by', 'mary'], '--apply belongs to --day.'],
    [['--balance', '--statement', 'a.csv'], '--statement belongs to --day, or to --preview.'],
    [['--balance', '--without-statement'], '--without-statement belongs to --day.'],
    [
      ['--day', '2026-11-20', '--statement', 'a.csv', '--without-statement'],
      'leave out --statement and --apply',
    ],
    [
      ['--day', '2026-11-20', '--apply', '--by', 'a', '--without-statement'],
      'leave out --statement and --apply',
    ],
    [['--day', '2026-11-20', '--allow-no-match'], '--allow-no-match belongs to --statement.'],
    [
      ['--day', '2026-11-20', '--statement', 'a.csv', '--apply', '--by', 'a', '--allow-no-match'],
      'leave out --preview and --apply',
    ],
    [['--statement', 'a.csv', '--preview', '--allow-no-match'], 'leave out --preview and --apply'],
    [['--preview'], '--preview belongs to --statement.'],
    [['--exceptions', '--database', ''], '--database is empty: write its value, or leave it out.'],
    [['--balance', '--auth', 'basic'], '--auth must be one of headers, bearer.'],
  ])('refuses %j', (args, says) => {
    expect(() => read(...args)).toThrow(says);
  });

  it('prints a command for the same storage, and with every option that says how a statement is read', () => {
    const statement = ['--statement', 'my a.csv', '--columns', 'amount=A, B', '--kinds', 'payout=OUT'];
    const words = [
      '--statuses',
      'failed=Void',
      '--statement-time-zone',
      'UTC',
      '--date-format',
      'DD/MM/YYYY',
    ];
    const signs = ['--decimal', ',', '--thousands', "'", '--signed'];
    const storage = ['--database', 'p.db', '--auth', 'bearer', '--dotenv', '.env.live'];
    const { values } = read('--preview', ...storage, ...signs, ...words, ...statement);
    const inStorage = '--database p.db --auth bearer --dotenv .env.live';
    expect(commandLine(values, '--exceptions')).toBe(
      `npx nestjs-payments reconcile --exceptions ${inStorage}`,
    );
    const inZone = commandLine({ ...values, 'time-zone': 'UTC' }, '--day 2026-01-01 --apply --by <person>');
    expect(inZone).toBe(
      `npx nestjs-payments reconcile --day 2026-01-01 --apply --by <person> --time-zone UTC ${inStorage}`,
    );
    expect(commandLine(values, '--day <date>', READING)).toBe(
      'npx nestjs-payments reconcile --day <date> --statement "my a.csv" --columns "amount=A, B" --kinds "payout=OUT" ' +
        '--statuses "failed=Void" --statement-time-zone UTC --date-format DD/MM/YYYY --decimal "," --thousands "\'" --signed ' +
        inStorage,
    );
  });
});
