import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { bundleCli, CliProcess, environmentOf } from '../../support/cli-process.js';
import { knownLines } from '../../support/known-lines.js';

/** Making a whole PGlite takes twenty seconds, and several times that on a machine with much else to do. */
const NEW_PGLITE_WITHIN_MS = 240_000;
const HIDDEN_CURSOR = '\u001B[?25l';

let sandbox: PaymentsSandbox;
let folder: string;

beforeAll(bundleCli);
beforeEach(async () => {
  sandbox = await PaymentsSandbox.start();
  folder = mkdtempSync(join(tmpdir(), 'payout-'));
});
afterEach(async () => {
  await sandbox.stop();
  rmSync(folder, { recursive: true });
});

it(
  'payout draws a bar on a terminal, and hides no cursor while Ctrl-C would end it at once',
  { timeout: NEW_PGLITE_WITHIN_MS },
  async () => {
    const file = join(folder, 'salaries.csv');
    const rows = knownLines(sandbox, 120).map(({ key, name, bank_code, account_number }) =>
      [key, name, '1000', bank_code, account_number].join(','),
    );
    writeFileSync(file, `key,name,amount,bank_code,account_number\n${rows.join('\n')}\n`);
    // In its own process, which makes a whole new PGlite: the other specs begin with files that exist.
    const database = join(folder, 'own.pglite');
    const check = new CliProcess(['payout', file, '--check', '--by', 'john', '--database', database], {
      environment: environmentOf(sandbox),
      terminal: true,
    });
    const { code, stdout } = await check.finished();
    expect(code).toBe(0);
    expect(stdout).not.toContain(HIDDEN_CURSOR);
    expect(stripVTControlCharacters(stdout)).toMatch(/█{24} 120\/120 lines/);
  },
);
