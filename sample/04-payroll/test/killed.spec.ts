import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PaymentsSandbox } from 'nestjs-payments/sandbox';
import { buildChildProgram, type ChildProgram } from '../../../test/support/child-program.js';
import { UNOPTIMIZED_WASM } from '../../../test/support/pglite-template.js';
import { type ProcessEnd, ServerProcess } from '../../../test/support/server-process.js';
import { describeWith, postgresService } from '../../../test/support/services.js';
import { PayrollDesk } from './payroll.desk.js';
import { embeddedJournal, type JournalPlace, serverJournal } from './journal-places.js';

const SLOW_MS = 120_000;
const STAFF = Array.from({ length: 16 }, (_, n) =>
  n % 2 === 0 ? `S-${n},Asha Mushi,10000,BSB,${accountOf(n)},,` : `S-${n},Asha Mushi,20000,,,${phoneOf(n)},`,
);
const EVERYBODY = STAFF.map((_, n) => `salaries.S-${n}`).sort();

function accountOf(n: number): string {
  return `0150234567${100 + n}`;
}

function phoneOf(n: number): string {
  return `255712345${600 + n}`;
}

interface ProgramEnd extends Pick<ProcessEnd, 'code'> {
  readonly log: string;
}

let program: ChildProgram;
let sandbox: PaymentsSandbox;
let desk: PayrollDesk;
let file: string;
const running = new Set<ServerProcess>();

beforeAll(async () => {
  program = await buildChildProgram('sample/04-payroll/src/main.ts', { startsOften: true });
}, SLOW_MS);
afterAll(() => program.remove());

beforeEach(async () => {
  sandbox = await PaymentsSandbox.start({ clock: 'manual' });
  for (let n = 0; n < STAFF.length; n += 1) {
    sandbox.directory.register(accountOf(n), 'Asha Mushi');
    sandbox.directory.register(phoneOf(n), 'Asha Mushi');
  }
  desk = await PayrollDesk.open();
  file = await desk.write('salaries.csv', STAFF);
});

// A test that runs out of time leaves its process behind, and that would keep the whole run open.
afterEach(async () => {
  for (const child of running) await child.end('SIGKILL');
  running.clear();
  await sandbox.stop();
  await desk.close();
});

/** Starts the program in a process of its own. */
async function start(environment: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<ServerProcess> {
  const env = {
    PATH: process.env['PATH'],
    PAYROLL_AT_ONCE: '2',
    ...desk.environment(sandbox),
    ...environment,
  };
  const command = [process.execPath, UNOPTIMIZED_WASM, program.file, ...args];
  const child = await ServerProcess.start(command, '', { env, cwd: desk.folder });
  running.add(child);
  return child;
}

/** Runs it to its end. */
async function finish(environment: NodeJS.ProcessEnv, ...args: readonly string[]): Promise<ProgramEnd> {
  return endOf(await start(environment, ...args));
}

async function endOf(child: ServerProcess): Promise<ProgramEnd> {
  const { code } = await child.finished();
  running.delete(child);
  return { code, log: child.log };
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

/** Checks that the gateway has every line at most once and processed no request twice. */
function paidOnce(): readonly string[] {
  const references = sandbox.payouts().map(({ reference }) => reference);
  expect(new Set(references).size).toBe(references.length);
  return references.sort();
}

function stories(openPlace: () => Promise<JournalPlace>): void {
  let place: JournalPlace;

  beforeEach(async () => {
    place = await openPlace();
    const check = await finish(place.environment, 'check', file);
    expect(check).toMatchObject({ code: 0 });
  }, SLOW_MS);
  afterEach(() => place.close());

  it(
    'continues after each kill, and pays every line once',
    async () => {
      for (const [bank, phone] of [
        [2, 3],
        [8, 9],
      ] as const) {
        // Both lines reach the gateway, which does not answer.
        sandbox.next('POST /disbursements/bank', { reference: `salaries.S-${bank}` }).hang();
        sandbox.next('POST /disbursements/mobile-money', { reference: `salaries.S-${phone}` }).hang();
        const gone = taken(phone + 1);
        const run = await start(place.environment, 'pay', file);
        await gone;
        run.signal('SIGKILL');
        expect((await endOf(run)).code).toBeNull();
        paidOnce();
      }
      const cutShort = await start(place.environment, 'pay', file);
      await cutShort.until('To pay:');
      cutShort.signal('SIGKILL');
      await endOf(cutShort);

      const resumed = await finish(place.environment, 'pay', file);
      expect(resumed).toMatchObject({
        code: 3,
        log: expect.stringMatching(/16 lines: .*unknown/) as unknown,
      });
      await place.pass();
      const asked = await finish(place.environment, 'pay', file);
      expect(paidOnce()).toEqual(EVERYBODY);
      expect(asked.log).toMatch(/^16 lines: \d+ (accepted|unknown), \d+ (accepted|unknown)\.$/m);
      const result = await desk.read('salaries.result.csv');
      const states = result
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((row) => /,(accepted|unknown),/.exec(row)?.[1]);
      expect(new Set(states)).toEqual(new Set(['accepted', 'unknown']));
      // The unknown lines are those that the gateway took without an answer.
      expect(result.match(/unknown,the gateway has it already/g)?.length).toBe(
        states.filter((state) => state === 'unknown').length,
      );
      expect(resumed.log + asked.log).not.toMatch(/0150234567|712345/);
    },
    SLOW_MS,
  );
}

describe('the program on the PostgreSQL inside it', () => {
  stories(() => embeddedJournal(desk));

  it(
    'finishes what is under way at Ctrl-C, sends no more, and lets no second one into its folder',
    async () => {
      await embeddedJournal(desk);
      sandbox.next('POST /disbursements/bank', { reference: 'salaries.S-0' }).delay('1m');
      const gone = taken(1);
      // On a slow machine, the answer must not come too late.
      const slow = { PAYROLL_AT_ONCE: '1', PAYMENTS_TIMEOUT_MS: '90000' };
      const run = await start(slow, 'pay', file);
      await gone;
      const second = await finish({}, 'pay', file);
      expect(second).toMatchObject({ code: 1, log: expect.stringContaining('Another payroll') as unknown });
      run.signal('SIGINT');
      await run.until('Stopping');
      await sandbox.clock.advance('1m');
      const { code, log } = await endOf(run);
      expect({ code, log }).toEqual({
        code: 4,
        log: expect.stringContaining('Stopped by Ctrl-C.') as unknown,
      });
      expect(log).toContain('16 lines: 1 accepted, 15 not-sent.');
      expect(await finish({}, 'pay', file)).toMatchObject({ code: 0 });
      expect(paidOnce()).toEqual(EVERYBODY);
    },
    SLOW_MS,
  );

  it(
    'ends at once at the second Ctrl-C, and the next run calls the line unknown',
    async () => {
      await embeddedJournal(desk);
      sandbox.next('POST /disbursements/bank', { reference: 'salaries.S-0' }).hang();
      const gone = taken(1);
      const run = await start({ PAYROLL_AT_ONCE: '1' }, 'pay', file);
      await gone;
      run.signal('SIGINT');
      await run.until('Stopping');
      run.signal('SIGINT');
      expect((await endOf(run)).code).toBe(130);
      const next = await finish({}, 'pay', file);
      expect(next).toMatchObject({
        code: 3,
        log: expect.stringContaining('1 unknown, 15 accepted') as unknown,
      });
      expect(paidOnce()).toEqual(EVERYBODY);
    },
    SLOW_MS,
  );
});

describeWith([postgresService], 'the program on a PostgreSQL server', () => {
  stories(() => serverJournal(postgresService.url));
});
