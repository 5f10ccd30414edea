import { afterEach, describe, expect, it, vi } from 'vitest';
import { linesFromCsv } from '../../../../lib/batches/lines/lines-from-csv.js';
import { PaymentsConfigError, PaymentsValidationError } from '../../../../lib/errors/payments-errors.js';
import { eventually } from '../../../support/eventually.js';

type Source = Parameters<typeof linesFromCsv>[0];

const HEAD = 'key,name,amount,bank_code,account_number,phone,remarks';
const ROW = 'S-1,Asha Mushi,1000,BSB,0150234567801,,';

async function linesOf(source: Source): Promise<readonly object[]> {
  const lines = [];
  for await (const line of linesFromCsv(source)) lines.push(line);
  return lines;
}

async function problemOf(source: Source): Promise<string> {
  const error: unknown = await linesOf(source).catch((thrown: unknown) => thrown);
  if (!(error instanceof PaymentsValidationError)) throw new Error('The file was read.', { cause: error });
  return error.errors['file']?.join() ?? '';
}

/** A file that says whether it was closed. */
function file(...pieces: readonly unknown[]): {
  source: AsyncGenerator<Uint8Array, void>;
  isClosed: () => boolean;
} {
  let closed = false;
  const source = (async function* () {
    try {
      for (const piece of pieces) yield await Promise.resolve(piece as Uint8Array);
    } finally {
      closed = true;
    }
  })();
  return { source, isClosed: () => closed };
}

describe('a CSV file that cannot be read', () => {
  it.each([
    [
      'a mark in a cell',
      'S-1,Asha "Mama" Mushi,1,BSB,0150234567801,,',
      'line 3: a quotation mark is in the middle',
    ],
    [
      'a mark that ends too early',
      'S-1,"Asha" Mushi,1,BSB,0150234567801,,',
      'line 3: a quotation mark is in the middle',
    ],
    ['a cell too many', `${ROW},0150234567801`, 'line 3: it has another number of cells'],
    [
      'a mark that never ends',
      `S-1,"Asha Mushi,1,BSB,0150234567801,,\n${ROW}\n${ROW}`,
      'line 3 or below: a quotation mark is never closed',
    ],
    [
      'a cell that never ends',
      `S-1,"Asha${'x'.repeat(300_000)}`,
      'line 3 or below: a quotation mark is never closed',
    ],
  ])('is refused for %s, without what is in it', async (_what, row, problem) => {
    const found = await problemOf(`${HEAD}\n${ROW}\n${row}\n`);
    expect(found).toContain(problem);
    expect(found).not.toMatch(/Asha|01502/);
  });

  it.each([
    ['twice the same account', 'S-1,Asha Mushi,1000,BSB,0150234567801,0150234567801,'],
    ['empty cells', 'S-1,Asha Mushi,1000,,,,'],
  ])(
    'is refused without a head, although its first row has %s, which is not repeated',
    async (_what, row) => {
      const found = await problemOf(`${row}\n${row}\n`);
      expect(found).toContain("it names others, 'key' is missing");
      expect(found).not.toMatch(/Asha|0150|''/);
    },
  );

  it.each(['utf16le', 'latin1'] as const)('is refused in %s', async (encoding) => {
    expect(await problemOf(Buffer.from(`${HEAD}\nS-1,Zoë`, encoding))).toContain('not in UTF-8');
  });

  it('is refused with a NUL anywhere', async () => {
    expect(await problemOf(`${HEAD}\n${ROW}\n${ROW}\0\n`)).toContain('not in UTF-8');
  });

  it('is refused if it ends in the middle of a row', async () => {
    expect(await problemOf(`${HEAD}\n${ROW}\nS-2,Asha Mu`)).toContain('get the whole file if it is cut off');
  });

  it.each(['\n', ' \r\n\n', '\ufeff', '\ufeff\n', ',,\n', HEAD, `\n${HEAD}\n\n,,,,,,\n`])(
    'is refused without rows: %j',
    async (text) => {
      expect(await problemOf(text)).toMatch(/the file has no rows|must name the columns/);
    },
  );

  it.each([
    ['its separators', [`${HEAD.replaceAll(',', '\t')}\n`]],
    ['its encoding', [Buffer.from([0xff, 0xfe])]],
    ['its columns', ['a,b\n']],
    ['a row', [`${HEAD}\n`, 'S-1\n']],
  ])('is closed when it is refused for %s', async (_what, pieces) => {
    const { source, isClosed } = file(...pieces, '\n', '\n');
    await problemOf(source);
    await eventually(() => {
      expect(isClosed()).toBe(true);
    });
  });

  it('is closed when nobody reads on', async () => {
    const { source, isClosed } = file(`${HEAD}\n${ROW}\n${ROW}\n`, `${ROW}\n`);
    for await (const line of linesFromCsv(source)) {
      expect(line).toHaveProperty('line', 2);
      break;
    }
    await eventually(() => {
      expect(isClosed()).toBe(true);
    });
  });

  it.each([[{ text: HEAD }], [7], [null]])('is refused if it gives %j', async (piece) => {
    expect(await problemOf(file(piece).source)).toContain('has to give bytes or texts');
  });

  it.each([[''], [`${HEAD}\n${ROW}\n`]])(
    'shows an error of the source as it is, after %j',
    async (before) => {
      const error = new TypeError('a fault of the application');
      const source = (async function* () {
        yield before;
        await Promise.reject(error);
      })();
      await expect(linesOf(source)).rejects.toBe(error);
    },
  );
});

describe('a CSV file', () => {
  it('may begin with an empty line, and have semicolons', async () => {
    const text = `\ufeff\r\n${HEAD}\r\n${ROW}\r\n`.replaceAll(',', ';');
    expect(await linesOf(Buffer.from(text))).toMatchObject([{ key: 'S-1', account_number: '0150234567801' }]);
  });

  it('keeps letters of several bytes where a large text is divided', async () => {
    const name = '😀ë'.repeat(1_000);
    const rows = Array.from({ length: 40 }, (_, index) => `S-${index},${name},1,,,0712345678,\n`);
    const lines = await linesOf(`${HEAD}\n${rows.join('')}`);
    expect(lines).toHaveLength(rows.length);
    for (const line of lines) expect(line).toHaveProperty('name', name);
  });
});

describe('without csv-parse', () => {
  afterEach(() => {
    vi.doUnmock('csv-parse');
  });

  it('says what to install', async () => {
    vi.doMock('csv-parse', () => {
      throw new Error('Cannot find package');
    });
    const refused = linesOf(HEAD);
    await expect(refused).rejects.toBeInstanceOf(PaymentsConfigError);
    await expect(refused).rejects.toThrow('linesFromCsv() needs csv-parse: run npm install csv-parse.');
  });
});
