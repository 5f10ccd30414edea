import * as common from '@nestjs/common';
import { runInThisContext } from 'node:vm';
import ts from 'typescript';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import * as payments from 'nestjs-payments';
import { type DayClose, type Reconciliation, type Statement } from 'nestjs-payments/reconciliation';
import { wholeSnippets } from '../../support/document-pages.js';
import { reconciliationOfSpecs } from '../../support/reconciliation-of-specs.js';
import { HOUR, type ReconciliationApp } from '../../support/reconciliation-place.js';

interface Example {
  readonly CloseEveryDay: new (
    reconciliation: Pick<Reconciliation, 'status' | 'close'>,
    statements: { of(day: string): Promise<Statement | undefined> },
  ) => { close(): Promise<void> };
}

/** Runs the example of the documents as it is written there, with another first day. */
function example(firstDay: string): Example {
  const written =
    [...wholeSnippets().values()].find((snippet) => snippet.includes('class CloseEveryDay')) ?? '';
  const text = written.replace("FIRST_DAY = '2026-11-20'", `FIRST_DAY = '${firstDay}'`);
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      experimentalDecorators: true,
    },
  });
  const run = runInThisContext(`(function (require, exports) { ${outputText} })`) as (
    load: (name: string) => unknown,
    exports: object,
  ) => void;
  const modules: Record<string, unknown> = { '@nestjs/common': common, 'nestjs-payments': payments };
  const exports = {};
  run((name) => modules[name] ?? {}, exports);
  return exports as Example;
}

describe('the documented close of every day', () => {
  const place = reconciliationOfSpecs();
  let shop: ReconciliationApp;

  beforeAll(() => {
    common.Logger.overrideLogger(false);
  });
  beforeEach(async () => {
    await place.nextDay(8);
    shop = await place.start();
  });

  /** Runs it at the time of the gateway. The example asks for the time first. */
  const run = (cron: InstanceType<Example['CloseEveryDay']>): Promise<void> => {
    const now = vi.spyOn(Date, 'now').mockReturnValue(place.sandbox.clock.now());
    const running = cron.close();
    now.mockRestore();
    return running;
  };

  const missing = new Set<string>();
  const statements = {
    of: (day: string): Promise<Statement | undefined> =>
      Promise.resolve(missing.has(day) ? undefined : { name: `${day}.csv`, rows: noRows }),
  };
  async function* noRows(): AsyncGenerator<never, void> {}

  it('begins with the first day, however late its statement is, and closes the days of runs that were missed', async () => {
    const first = place.today();
    const { CloseEveryDay } = example(first);
    const cron = new CloseEveryDay(shop.reconciliation, statements);
    missing.add(first);
    await place.nextDay(6.5);
    await run(cron);
    expect(await shop.reconciliation.status()).toBeUndefined();
    missing.clear();
    await place.pass(72 * HOUR);
    await run(cron);
    const last = new Date(Date.parse(first) + 72 * HOUR).toISOString().slice(0, 10);
    expect(await shop.reconciliation.open(first)).toMatchObject({ summary: { statement: { rows: 0 } } });
    expect(await shop.reconciliation.status()).toMatchObject({ lastDay: last });
    await run(cron);
    expect(await shop.reconciliation.status()).toMatchObject({ lastDay: last });
  });

  it('leaves a day whose statement is late to the next run, which closes it with the statement', async () => {
    const { CloseEveryDay } = example(place.today());
    const cron = new CloseEveryDay(shop.reconciliation, statements);
    await place.nextDay(6.5);
    await run(cron);
    const late = place.today();
    await place.pass(48 * HOUR);
    missing.add(late);
    await run(cron);
    expect(await shop.reconciliation.status()).not.toMatchObject({ lastDay: late });
    missing.clear();
    await run(cron);
    const { summary } = await shop.reconciliation.open(late);
    expect(summary.statement).toMatchObject({ name: `${late}.csv` });
  });

  it('leaves the days to the replica that closes them, and hides no other problem', async () => {
    const { CloseEveryDay } = example('2026-01-01');
    const failing = (code: 'CLOSE_RUNNING' | 'DAY_NOT_NEXT') =>
      new CloseEveryDay(
        {
          status: () => Promise.resolve(undefined),
          close: (): Promise<DayClose> =>
            Promise.reject(new payments.PaymentsError(code, 'It was not closed.')),
        },
        statements,
      );
    await expect(run(failing('CLOSE_RUNNING'))).resolves.toBeUndefined();
    await expect(run(failing('DAY_NOT_NEXT'))).rejects.toMatchObject({ code: 'DAY_NOT_NEXT' });
  });
});
