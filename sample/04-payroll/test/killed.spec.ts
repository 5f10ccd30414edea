import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { buildChildProgram, type ChildProgram } from '../../../test/support/child-program.js';
import { UNOPTIMIZED_WASM } from '../../../test/support/pglite-template.js';
import { startSandbox } from '../../../test/support/sandbox.js';
import { ServerProcess } from '../../../test/support/server-process.js';
import { deskEnvironment, DeskUser, HEAD } from './payroll-desk.js';

const LINES = 150;
const KILLS_AT = [20, 60, 100];
const SLOW_MS = 120_000;

describe('a desk that is killed', () => {
  let program: ChildProgram;
  let sandbox: PaymentsSandbox;
  let folder: string;
  let running: ServerProcess | undefined;

  beforeAll(async () => {
    program = await buildChildProgram('sample/04-payroll/src/main.ts');
  }, SLOW_MS);
  afterAll(() => program.remove());
  beforeEach(async () => {
    sandbox = await startSandbox();
    folder = await mkdtemp(join(tmpdir(), 'payroll-'));
  });
  afterEach(async () => {
    await running?.end('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });

  const kill = async (): Promise<void> => {
    await running?.end('SIGKILL');
    running = undefined;
  };

  /** Starts the desk in a process of its own, and returns its address. */
  async function start(): Promise<string> {
    const env = { PATH: process.env['PATH'], PORT: '0', NO_COLOR: '1', ...deskEnvironment(sandbox, folder) };
    const command = [process.execPath, UNOPTIMIZED_WASM, program.file];
    running = await ServerProcess.start(command, 'The desk is at ', { env, cwd: folder });
    return /The desk is at (http:[/\d.:]+)/.exec(running.log)![1]!;
  }

  /** Resolves when the gateway has received this many payouts. */
  function taken(count: number): Promise<void> {
    return new Promise((resolve) => {
      const forget = sandbox.on('payout', () => {
        if (sandbox.payouts().length < count) return;
        forget();
        resolve();
      });
    });
  }

  it(
    'goes on each time, and every line is paid once, or is unknown',
    async () => {
      const rows = Array.from({ length: LINES }, (_, n) => {
        const account = `0150234${String(n).padStart(5, '0')}`;
        sandbox.directory.register(account, 'Asha Mushi');
        return `S-${n},Asha Mushi,100,BSB,${account},,`;
      });
      let url = await start();
      const maker = await DeskUser.signIn(url, 'asha', 'rice');
      const checker = await DeskUser.signIn(url, 'omari', 'beans');
      await maker.load('salaries', [HEAD, ...rows].join('\n'));
      await maker.post('batches/salaries/check');
      await maker.until('salaries', 'checked');
      const { digest } = (await maker.get('batches/salaries')).body;
      await checker.post('batches/salaries/approve', { digest });
      const begun = maker.post('batches/salaries/steps', { step: 'start' });
      for (const count of KILLS_AT) {
        await taken(count);
        await kill();
        await begun.catch(() => undefined);
        url = await start();
      }

      const again = await DeskUser.signIn(url, 'asha', 'rice');
      const { byState } = (await again.until('salaries', 'ended')).at(-1)!;
      const { accepted, unknown, ...rest } = byState;
      expect(rest).toEqual({});
      expect((accepted?.lines ?? 0) + (unknown?.lines ?? 0)).toBe(LINES);
      // No more than were under way when it was killed.
      expect(unknown?.lines ?? 0).toBeLessThanOrEqual(4 * KILLS_AT.length);
      const references = sandbox.payouts().map(({ reference }) => reference);
      expect(new Set(references).size).toBe(references.length);
      const doubted = (await again.get('batches/salaries')).body.lines.map(({ reference }) => reference);
      const everybody = Array.from({ length: LINES }, (_, n) => `salaries.S-${n}`);
      expect([...new Set([...references, ...doubted])].sort()).toEqual(everybody.sort());
    },
    SLOW_MS,
  );
});
