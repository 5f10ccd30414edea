import { describe, expect, it } from 'vitest';
import { createReadStream, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { linesFromCsv } from 'nestjs-payments/batches';
import { readLine } from '../../../../lib/batches/lines/payout-line.js';

async function linesOf(source: Parameters<typeof linesFromCsv>[0]): Promise<readonly object[]> {
  const lines = [];
  for await (const line of linesFromCsv(source)) lines.push(line);
  return lines;
}

function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* slowly<T>(values: Iterable<T>): AsyncGenerator<T, void> {
  for (const value of values) yield await Promise.resolve(value);
}

const HEAD = 'key,name,amount,bank_code,account_number,phone,remarks';
const ROW = 'S-1,Zoë Mushi,1000,BSB,0150234567801,,';
const LINE = {
  key: 'S-1',
  name: 'Zoë Mushi',
  amount: '1000',
  bank_code: 'BSB',
  account_number: '0150234567801',
  phone: '',
  remarks: '',
  line: 2,
};

describe('lines from a CSV file', () => {
  it('come from the one that docs/batches.md shows', async () => {
    const [, file = ''] = /```csv\n([^]*?)```/.exec(readFileSync('docs/batches.md', 'utf8')) ?? [];
    const lines = await linesOf(file);
    expect(lines.map(readLine)).toEqual([
      { line: expect.objectContaining({ key: 'S-001', remarks: 'Salary of November' }) as object },
      {
        line: expect.objectContaining({
          key: 'S-002',
          recipient: { kind: 'mobile', phone: '255712345678' },
        }) as object,
      },
    ]);
  });

  it.each([
    ['a text', `${HEAD}\n${ROW}\n`],
    ['bytes', Buffer.from(`${HEAD}\n${ROW}`)],
    ['a byte order mark', `\ufeff${HEAD}\n${ROW}`],
    ['semicolons', `${HEAD}\n${ROW}`.replaceAll(',', ';')],
    ['line ends of Windows', `${HEAD}\r\n${ROW}\r\n`],
    ['blanks and other cases', `${HEAD.toUpperCase().replaceAll(',', ' , ')}\n${ROW.replaceAll(',', ' , ')}`],
  ])('come from %s', async (_what, source) => {
    expect(await linesOf(source)).toEqual([LINE]);
  });

  it('have the numbers of the file, over empty lines and cells with line breaks', async () => {
    const lines = await linesOf(
      `key,name,amount,phone\n\nS-1,"Asha\nMushi",1,0712345678\n\nS-2,=1+1,2,0712345679\n`,
    );
    expect(lines).toMatchObject([
      { line: 4, name: 'Asha\nMushi' },
      { line: 6, name: '=1+1' },
    ]);
  });

  it.each([1, 2, 3, 7])('come in pieces of %s bytes, that cut letters apart', async (size) => {
    expect(await linesOf(slowly(pieces(Buffer.from(`${HEAD}\n${ROW}\n`), size)))).toEqual([LINE]);
  });

  it('come before the file has ended', async () => {
    const source = new PassThrough();
    source.write(`${HEAD}\n${ROW}\n${ROW}\n`);
    for await (const line of linesFromCsv(source)) {
      expect(line).toEqual(LINE);
      break;
    }
    expect(source.destroyed).toBe(true);
  });

  it.each<readonly [string, string | Uint8Array, string]>([
    ['nothing', '', 'the file has no rows'],
    ['a head alone', HEAD, 'the file has no rows'],
    ['another encoding', Buffer.from(`${HEAD}\n${ROW}`, 'latin1'), 'the file is not in UTF-8'],
    ['UTF-16', Buffer.from(`\ufeff${HEAD}\n${ROW}`, 'utf16le'), 'the file is not in UTF-8'],
    ['a letter that is cut off', Buffer.from(`${HEAD}\nZoë`).subarray(0, -1), 'the file is not in UTF-8'],
    ['tabs', `${HEAD}\n${ROW}`.replaceAll(',', '\t'), 'the columns have tabs between them'],
    ['bars', `${HEAD}\n${ROW}`.replaceAll(',', '|'), 'the columns have bars between them'],
    ['an unknown column', `${HEAD},iban\n${ROW},`, 'it names others'],
    ['a column twice', `${HEAD},key\n${ROW},`, "it names 'key' twice"],
    ['no amount', 'key,name,phone\nS-1,Asha,0712345678', "'amount' is missing"],
    ['too many cells', `${HEAD}\n${ROW}\n${ROW},more`, 'line 3: it has another number of cells'],
    ['too few cells', `${HEAD}\nS-1,Asha`, 'line 2: it has another number of cells'],
    ['a quotation mark that is never closed', `${HEAD}\n"${ROW}\n${ROW}`, 'a quotation mark is never closed'],
    ['a cell without an end', `${HEAD}\n"${'x'.repeat(200_000)}`, 'a quotation mark is never closed'],
  ])('are refused with %s', async (_what, source, problem) => {
    const refused = linesOf(source);
    await expect(refused).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      errors: { file: [expect.any(String)] },
    });
    await expect(refused).rejects.toThrow(problem);
    await expect(refused).rejects.not.toThrow('Asha');
  });

  it('pass on what their source throws', async () => {
    const source = slowly([`${HEAD}\n`, ROW]);
    const broken = (async function* () {
      yield* source;
      throw new Error('the disk is gone');
    })();
    await expect(linesOf(broken)).rejects.toThrow('the disk is gone');
  });
});

describe('a file that does not exist', () => {
  it('is named when its lines are read, however much later that is', async () => {
    const stream = createReadStream(join(tmpdir(), 'not-there.csv'));
    const lines = linesFromCsv(stream);
    // Without a listener the process would end now.
    await new Promise<void>((resolve) => stream.once('close', resolve));
    await expect(lines[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
