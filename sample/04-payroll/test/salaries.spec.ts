import { describe, expect, it } from 'vitest';
import { readFile } from 'node:fs/promises';
import { addMoney, compareMoney } from 'nestjs-payments';
import { SAMPLE_FILE } from './payroll.desk.js';
import { readSalaries } from '../src/salaries/read-salaries.js';
import { PayrollProblem } from '../src/payroll.problem.js';

const HEAD = 'reference,name,amount,bank_code,account_number,phone';

function read(...lines: readonly string[]): ReturnType<typeof readSalaries> {
  return readSalaries(Buffer.from(lines.join('\n')));
}

function problemOf(bytes: Uint8Array): { readonly message: string; readonly details: readonly string[] } {
  try {
    readSalaries(bytes);
  } catch (error) {
    if (error instanceof PayrollProblem) return { message: error.message, details: error.details };
    throw error;
  }
  throw new Error('nothing was wrong');
}

describe('a file of salaries', () => {
  it('is read as a spreadsheet writes it: a mark at its start, quotes, other line ends, empty lines', () => {
    const text = `\uFEFF${HEAD}\r\n\r\n S-1 ,"Mushi, Asha",500000,bsb,0150234567801,\r\n,,,,,\r\nS-2,"Omari\nJuma",1.5,,,+255 712-345-602\r\n`;
    expect(readSalaries(Buffer.from(text))).toEqual([
      {
        line: 3,
        reference: 'S-1',
        name: 'Mushi, Asha',
        amount: '500000.00',
        recipient: { kind: 'bank', bankCode: 'BSB', account: '0150234567801' },
        remarks: undefined,
      },
      expect.objectContaining({
        line: 6,
        amount: '1.50',
        recipient: { kind: 'mobile', phone: '255712345602' },
      }),
    ]);
  });

  it('may have semicolons between its columns, which may stand in any order', () => {
    const [row] = read('phone;amount;Name;REFERENCE', '0712 345 601;1000;Asha Mushi;S-1');
    expect(row).toMatchObject({ line: 2, reference: 'S-1', recipient: { phone: '255712345601' } });
  });

  it.each(['0', '0.00', '-5', '1,000', '1 000', '1e5', '12.345', '012', 'NaN', ''])(
    'refuses the amount "%s"',
    (amount) => {
      const { details } = problemOf(Buffer.from(`${HEAD}\nS-1,Asha Mushi,"${amount}",,,0712345601`));
      expect(details).toEqual([expect.stringMatching(/^line 2: amount must be greater than 0/)]);
    },
  );

  it.each([
    ['no rows', `${HEAD}\n`, /no rows/],
    ['nothing', '', /no rows|must name the columns/],
    ['no table', `${HEAD}\nS-1,Asha`, /no table: .*line 2/],
    ['an open quote', `${HEAD}\nS-1,"Asha`, /no table/],
  ])('says what is wrong with %s', (_what, text, says) => {
    expect(problemOf(Buffer.from(text)).message).toMatch(says);
  });

  it('takes an account for the same in small letters', () => {
    const rows = ['S-1,Asha Mushi,1,BSB,0150ABCD,', 'S-2,Asha Mushi,1,bsb,0150abcd,'];
    expect(problemOf(Buffer.from([HEAD, ...rows].join('\n'))).details).toEqual([
      'line 3: goes to the account or phone of line 2',
    ]);
  });

  it('names the columns that are wrong', () => {
    const { details } = problemOf(Buffer.from('reference,name,name,acount_number\nS-1,Asha,,1'));
    expect(details).toEqual([
      "There is no column 'acount_number'.",
      "'name' appears twice.",
      "'amount' is missing.",
    ]);
  });

  it('is refused in another encoding than UTF-8', () => {
    expect(problemOf(Buffer.from(`${HEAD}\nS-1,Zoë`, 'latin1')).message).toContain('UTF-8');
    expect(problemOf(Buffer.from(HEAD, 'utf16le')).message).toMatch(/columns/);
  });

  it('repeats no account and no phone in what it complains about', () => {
    const { details } = problemOf(
      Buffer.from(`${HEAD}\nS-1,Asha,1,BSB,01502345-678,\nS-2,Omari,1,,,712345602`),
    );
    expect(details).toHaveLength(2);
    expect(details.join()).not.toMatch(/01502345|712345602/);
  });

  it('is valid in the sample', async () => {
    const rows = readSalaries(await readFile(SAMPLE_FILE));
    expect(rows).toHaveLength(8);
    // What the emulator's wallet holds at first, with its fees.
    expect(compareMoney(addMoney(...rows.map(({ amount }) => amount)), '990000')).toBe(-1);
  });
});
