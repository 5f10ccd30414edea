import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type BatchProgress } from 'nestjs-payments/batches';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { startSandbox } from '../../../test/support/sandbox.js';
import { describeWith, postgresService } from '../../../test/support/services.js';
import { HEAD, PayrollDesk } from './payroll-desk.js';

const LINES = 250;
/** The PostgreSQL inside the process computes on the thread of the test, which other specs may use, too. */
const TIME_LIMIT_MS = 180_000;

function stories(databaseUrl: string): void {
  let sandbox: PaymentsSandbox;
  let desk: PayrollDesk;

  beforeEach(async () => {
    sandbox = await startSandbox({ startingBalance: '1000000' });
    desk = await PayrollDesk.open(sandbox, databaseUrl);
  }, TIME_LIMIT_MS);
  afterEach(() => desk.close());

  it(
    'continues with a batch in the midst of it when it starts again, and pays every line once',
    async () => {
      const rows = Array.from({ length: LINES }, (_, n) => {
        const account = `0150234${String(n).padStart(5, '0')}`;
        sandbox.directory.register(account, 'Asha Mushi');
        return `S-${n},Asha Mushi,100,BSB,${account},,`;
      });
      const maker = await desk.signIn('asha', 'rice');
      const checker = await desk.signIn('omari', 'beans');
      await maker.load('salaries', [HEAD, ...rows].join('\n'));
      await maker.post('batches/salaries/check');
      await maker.until('salaries', 'checked');
      const { digest } = (await maker.get('batches/salaries')).body;
      await checker.post('batches/salaries/approve', { digest });
      await maker.post('batches/salaries/steps', { step: 'start' });

      // The page follows while the desk stops: the stream ends, and holds nothing open.
      const stream = await maker.follow('salaries');
      let progress: BatchProgress | undefined;
      while (!progress?.byState.accepted) {
        progress = (await stream.until('progress')).at(-1)!.data as BatchProgress;
      }
      await desk.stop();
      const sent = sandbox.payouts().length;
      expect(sent).toBeGreaterThan(0);
      expect(sent).toBeLessThan(LINES);

      await desk.start();
      const again = await desk.signIn('asha', 'rice');
      const ended = (await again.until('salaries', 'ended')).at(-1);
      expect(ended?.byState).toEqual({ accepted: { lines: LINES, amount: '25000.00' } });
      const references = sandbox.payouts().map(({ reference }) => reference);
      expect(references).toHaveLength(LINES);
      expect(new Set(references).size).toBe(LINES);
    },
    TIME_LIMIT_MS,
  );
}

describe('the desk on the PostgreSQL inside it', () => {
  stories('');

  it('does not start in a folder that another desk uses', async () => {
    const desk = await PayrollDesk.open(await startSandbox());
    await desk.stop();
    await writeFile(join(desk.folder, 'data', 'in-use'), String(process.ppid));
    await expect(desk.start()).rejects.toThrow(/Another payroll \(process \d+\) is using/);
    await desk.close();
  });
});

describeWith([postgresService], 'the desk on a PostgreSQL server', () => {
  stories(postgresService.url);
});
