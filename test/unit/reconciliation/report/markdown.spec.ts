import { expect, it } from 'vitest';
import fc from 'fast-check';
import { anyCodePoint } from '../../../support/any-code-point.js';
import { closeReport } from '../../../../lib/reconciliation/report/close-report.js';
import { type CloseToReport } from '../../../../lib/reconciliation/report/close-to-report.js';
import { EXAMPLE_CLOSE, exceptionWith, FIRST_CLOSE } from './example-close.js';

const markdown = (close: CloseToReport): string => closeReport(close, { format: 'markdown' });

it('the Markdown of a close says what the table says', () => {
  expect(markdown(EXAMPLE_CLOSE)).toMatchInlineSnapshot(`
    "# Close of 2026-11-20

    From 2026-11-20 00:00:00 to 2026-11-21 00:00:00 in Africa/Dar\\_es\\_Salaam. Closed at 2026-11-21 00:05:09 by cron.

    ## Balance

    |  | TZS |  |
    | --- | ---: | --- |
    | Opening balance | 5,000,000.00 | read at 2026-11-20 00:00:03 |
    | Collections | +18,450,000.00 |  |
    | Payouts | -3,600,000.00 |  |
    | Fees | -202,500.00 |  |
    | Other | -1,000,000.00 |  |
    | Under way | -5,000.50 | between -55,000.50 and 0.00 |
    | Difference | +50,000.00 | nothing explains it |
    | **Closing balance** | **18,692,499.50** | **read at 2026-11-21 00:00:03** |

    Of it 18,642,499.50 are available, and 50,000.00 are locked.

    ## Payments

    |  | count | amount | fees | wallet |
    | --- | ---: | ---: | ---: | ---: |
    | Collections | 1,204 | +18,450,000.00 | -184,500.00 | +18,265,500.00 |
    | Payouts | 12 | -3,600,000.00 | -18,000.00 | -3,618,000.00 |
    | **Total** | **1,216** | **+14,850,000.00** | **-202,500.00** | **+14,647,500.00** |

    Open at the end of the day: 2 payments, 55,000.50.

    Expected on a later statement: 1 payment.

    ## Statement november.csv

    |  | count | amount | fees | wallet |
    | --- | ---: | ---: | ---: | ---: |
    | Collections | 1,204 | +18,450,000.00 | -184,500.00 | +18,265,500.00 |
    | Payouts | 11 | -3,550,000.00 | -17,000.00 | -3,567,000.00 |
    | Other |  | -1,000,000.00 |  | -1,000,000.00 |
    | **Total** | **1,215** | **+13,900,000.00** | **-201,500.00** | **+13,698,500.00** |

    It has 1,221 rows: 1,215 matched payments, and 4 were of other days.

    SHA-256 of its rows: 5f2c5f2c5f2c5f2c5f2c5f2c5f2c5f2c5f2c5f2c5f2c5f2c5f2c5f2c5f2c5f2c

    ## Exceptions

    Open: 2 (balance 1, proven 1).

    ### balance

    - reason: The wallet has 50,000.00 more than payments explain.
    - age: under a minute, found by the close of 2026-11-20
    - hint: The payout ORDER-9 of 50,000.00 would explain it.
    - state: open
    - id: 2026-11-20.balance

    ### proven: collection ORDER-1

    - reason: The outcome of this collection was not known here, because its answer was lost, and the statement says that the customer paid.
    - age: 2 days 3 hours, found by the close of 2026-11-18
    - journal: unknown, 5,000.50, made at 2026-11-18 21:00:00
    - statement: collection, 5,000.50, 2026-11-18 21:00:07, row 12 of november.csv
    - proposal: settle the collection ORDER-1 as success, which row 12 proves
    - state: open
    - id: 2026-11-18.proven.ORDER-1

    ### fee: payout ORDER-3

    - reason: The statement has another fee than the gateway said.
    - age: 12 hours, found by the close of 2026-11-20
    - journal: paid, 300,000.00, fee 1,500.00, made at 2026-11-20 12:00:00
    - statement: payout, 300,000.00, fee 1,600.00, 2026-11-20 12:00:41, row 812 of november.csv
    - state: explained
    - note: The gateway raised its fee at noon. (asha, 2026-11-21 09:12:00)
    - id: 2026-11-20.fee.ORDER-3
    "
  `);
});

it('the Markdown of a first close has no table of a balance', () => {
  expect(markdown(FIRST_CLOSE)).toMatchInlineSnapshot(`
    "# Close of 2026-11-20

    From 2026-11-20 00:00:00 to 2026-11-21 00:00:00 in Africa/Dar\\_es\\_Salaam. Closed at 2026-11-21 00:05:09 by cron.

    ## Balance

    There is no equation: the balance was not read at the end of the day before, or the journal cannot read an amount.

    ## Payments

    |  | count | amount | fees | wallet |
    | --- | ---: | ---: | ---: | ---: |
    | Collections | 1,204 | +18,450,000.00 | -184,500.00 | +18,265,500.00 |
    | Payouts | 12 | -3,600,000.00 | -18,000.00 | -3,618,000.00 |
    | **Total** | **1,216** | **+14,850,000.00** | **-202,500.00** | **+14,647,500.00** |

    Open at the end of the day: 2 payments, 55,000.50.

    Expected on a later statement: 1 payment.

    ## Exceptions

    Open: none.
    "
  `);
});

it('a text from outside is no markup, no HTML, no cell and no link', () => {
  const reference = '<img src=x> |a| *b* _c_ `d` [e](http://f) www.g \\ ~~h~~ $i$ # &lt;';
  expect(markdown({ ...EXAMPLE_CLOSE, exceptions: [exceptionWith({ reference })] })).toContain(
    '### fee: payout &lt;img src=x&gt; \\|a\\| \\*b\\* \\_c\\_ \\`d\\` \\[e\\](http\\://f) www\\.g \\\\ \\~\\~h\\~\\~ \\$i\\$ \\# &amp;lt;\n',
  );
});

/** What Markdown knows, and texts that become links. */
const MARKS = ['\\', '`', '*', '_', '[', ']', '|', '~', '$', '#', '<', '>', '&', ':', '/', '.', '\n', ' '];
const UNIT = fc.oneof(fc.constantFrom(...MARKS, 'www.', 'http://', '&lt;', '---', '- '), anyCodePoint);

it('every text can be read from it, and nothing in it is left that Markdown obeys', () => {
  const before = markdown({ ...EXAMPLE_CLOSE, exceptions: [exceptionWith({ hint: 'x' })] }).split(
    '\n',
  ).length;
  fc.assert(
    fc.property(fc.string({ unit: UNIT, maxLength: 20 }), (hint) => {
      const text = markdown({ ...EXAMPLE_CLOSE, exceptions: [exceptionWith({ hint })] });
      const lines = text.split('\n');
      expect(lines).toHaveLength(before);
      const shown = lines.find((line) => line.startsWith('- hint: '))?.slice('- hint: '.length) ?? '';
      const left = shown.replace(/\\[\\`*_[\]|~$#:.]|&(?:amp|lt|gt);/g, ' ');
      expect(left).not.toMatch(/[\\`*_[\]|~$#<>&]|:\/\/|www\./i);
      const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };
      const read = shown.replace(
        /\\(.)|&\w+;/gu,
        (found, character: string | undefined) => character ?? entities[found] ?? '',
      );
      expect(read).toBe(hint.replace(/\s+/gu, ' ').trim().replace(/\p{C}/gu, '\u{FFFD}'));
    }),
  );
});
