import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../../lib/cli/command-line.js';
import { RECONCILE_OPTIONS } from '../../../../lib/cli/reconcile/reconcile-options.js';
import { inWordsOfOptions, statementOptions } from '../../../../lib/cli/reconcile/statement-file.js';
import { csvStatement, previewStatement } from '../../../../lib/reconciliation/index.js';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reconcile-'));
  writeFileSync(join(folder, 'a.csv'), 'Reference,Amount,Date,Type\n');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

function optionsOf(...args: readonly string[]): ReturnType<typeof statementOptions> {
  const { values } = parseCommandLine(args, RECONCILE_OPTIONS, { positionals: false });
  return statementOptions(values, { folder });
}

describe('the options of a statement', () => {
  it('are none without a statement', () => {
    expect(optionsOf('--balance')).toBeUndefined();
  });

  it('are those that the package reads by itself, with the name of the file', () => {
    const { stream: _stream, ...options } = optionsOf('--statement', 'a.csv')!();
    expect(options).toEqual({
      name: 'a.csv',
      columns: {},
      kinds: {},
      succeeded: [],
      failed: [],
      pending: [],
    });
  });

  it('open the file only when it is read, so that no file that nobody reads ends the process', async () => {
    const file = join(folder, 'late.csv');
    writeFileSync(file, 'early');
    const { stream } = optionsOf('--statement', 'late.csv')!();
    rmSync(file);
    // Node opens a stream of a file after some turns.
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(file, 'late');
    const pieces: Uint8Array[] = [];
    for await (const piece of stream as AsyncIterable<Uint8Array>) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe('late');
  });

  it('take a name with a comma or a sign of equality, and a word for each meaning', () => {
    const { stream: _stream, ...options } = optionsOf(
      ...['--statement', 'a.csv', '--signed', '--decimal', ',', '--thousands', '.'],
      ...[
        '--columns',
        'reference=Ref, no.,amount=A = B',
        '--kinds',
        'collection=IN,collection=C2B,payout=OUT,collection=IN',
      ],
      ...['--statuses', 'failed=Reversed,succeeded=Done,failed=Void,pending=Held'],
      ...['--statement-time-zone', 'Africa/Dar_es_Salaam', '--date-format', 'DD/MM/YYYY'],
    )!();
    expect(options).toEqual({
      name: 'a.csv',
      columns: { reference: 'Ref, no.', amount: 'A = B' },
      kinds: { IN: 'collection', C2B: 'collection', OUT: 'payout' },
      succeeded: ['Done'],
      failed: ['Reversed', 'Void'],
      pending: ['Held'],
      timeZone: 'Africa/Dar_es_Salaam',
      dateFormat: 'DD/MM/YYYY',
      decimal: ',',
      thousands: '.',
      signed: true,
    });
  });

  it('take a dash for a column that is not read', async () => {
    const { columns } = optionsOf('--statement', 'a.csv', '--columns', 'currency=-,recipient=-,at=Date')!();
    expect(columns).toEqual({ currency: false, recipient: false, at: 'Date' });
    const stream = 'Date,Type,Reference,Amount,Currency\n2026-11-20T05:00:00Z,Payout,A,100,TSh\n';
    const { problem = '' } = await previewStatement({ stream });
    expect(inWordsOfOptions(problem)).toContain('write --columns "currency=-" if every amount is in TZS');
    expect((await previewStatement({ stream, columns: columns! })).problem).toBeUndefined();
  });

  it.each([
    [['--statement', 'b.csv'], 'There is no file b.csv here, and nothing was done.'],
    [['--statement', '.'], '. is a folder, and nothing was done.'],
    [['--statement', 'a.csv', '--columns', 'ref=Ref'], '--columns takes a list of reference=…, amount=…'],
    [['--statement', 'a.csv', '--columns', 'reference='], 'write --columns "reference=Ref,amount=Amt".'],
    [['--statement', 'a.csv', '--kinds', 'IN'], 'write --kinds "collection=IN,payout=OUT".'],
    [
      ['--statement', 'a.csv', '--kinds', 'collection=IN,payout=OUT,payout=IN'],
      '--kinds says two things of IN, collection and payout: write it once.',
    ],
    [
      ['--statement', 'a.csv', '--columns', 'fee=Fee,amount=Amt,fee=-'],
      '--columns says two things of fee, Fee and -: write it once.',
    ],
    [['--statement', 'a.csv', '--statuses', 'paid=OK'], 'write --statuses "succeeded=OK,failed=Reversed".'],
    [
      ['--statement', 'a.csv', '--date-format', 'YYYY'],
      '--date-format must be one of DD/MM/YYYY, MM/DD/YYYY.',
    ],
    [['--statement', 'a.csv', '--decimal', ';'], '--decimal must be one of'],
    [['--statement', 'a.csv', '--thousands', ';'], '--thousands must be one of'],
  ])('are refused: %j', (args, says) => {
    expect(() => optionsOf(...args)).toThrow(says);
  });

  it.each([
    [{ timeZone: 'Dar' }, '--statement-time-zone'],
    [{ thousands: '.', decimal: '.' } as const, '--thousands'],
    [{ columns: { reference: 'Ref', amount: 'ref' } }, '--columns'],
    [{ failed: ['Void'], pending: ['Void'] }, '--statuses'],
    [{ kinds: { IN: 'collection', in: 'payout' } } as const, '--kinds'],
  ])('that the package refuses have the names of the command line: %j', (options, name) => {
    let message = '';
    try {
      csvStatement({ stream: '', ...options });
    } catch (error) {
      message = inWordsOfOptions((error as Error).message);
    }
    expect(message).toContain(`${name} `);
    expect(message).not.toContain('Statement option');
  });

  it.each([
    [
      "write for example columns: { reference: 'Your No.' }",
      'write for example --columns "reference=Your No."',
    ],
    [
      'write columns: { reference: "Ref", amount: "Amt, TZS" }, or',
      'write --columns "reference=Ref,amount=Amt, TZS", or',
    ],
    ["write for example kinds: { 'the word': 'payout' }", 'write for example --kinds "payout=the word"'],
    ['write signed: true if it has a minus', 'write --signed if it has a minus'],
    ["write thousands: ',' or decimal: '.'", 'write --thousands "," or --decimal .'],
    [
      "write for example timeZone: 'Africa/Dar_es_Salaam'",
      'write for example --statement-time-zone Africa/Dar_es_Salaam',
    ],
    ["write dateFormat: 'DD/MM/YYYY'", 'write --date-format DD/MM/YYYY'],
    [
      'write its word in succeeded, failed or pending',
      'write its word in --statuses, for example --statuses succeeded=OK',
    ],
  ])('that would help are those of the command line: %s', (problem, says) => {
    expect(inWordsOfOptions(problem)).toBe(says);
  });
});
