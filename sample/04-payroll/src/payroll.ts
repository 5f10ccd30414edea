import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { isPaymentsError, PaymentsConfigError } from 'nestjs-payments';
import { CheckCommand } from './check/check.command.js';
import { type Order, readOrder, USAGE } from './command-line.js';
import { type Screen } from './console/screen.js';
import { ScreenLogger } from './console/screen.logger.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { type JournalDatabase, openJournal } from './journal/journal-database.js';
import { PayCommand } from './pay/pay.command.js';
import { PayrollModule } from './payroll.module.js';
import { PayrollProblem } from './payroll.problem.js';
import { Settings } from './settings.js';
import { SettleCommand } from './settle/settle.command.js';

type RunningOrder = Exclude<Order, { readonly command: 'help' }>;

/**
 * The whole program. Resolves to its exit code.
 *
 * @param open Opens the journal, which `runPayroll` closes.
 */
export async function runPayroll(
  args: readonly string[],
  screen: Screen,
  open: (settings: Settings) => Promise<JournalDatabase> = openJournal,
): Promise<ExitCode> {
  try {
    const order = readOrder(args);
    if (order.command !== 'help') return await carryOut(order, screen, open);
    for (const line of USAGE.split('\n')) screen.line(line);
    return EXIT.fine;
  } catch (error) {
    return explain(error, screen);
  }
}

async function carryOut(
  order: RunningOrder,
  screen: Screen,
  open: (settings: Settings) => Promise<JournalDatabase>,
): Promise<ExitCode> {
  const settings = new Settings(process.env);
  const database = await open(settings);
  let app: INestApplicationContext | undefined;
  try {
    app = await NestFactory.createApplicationContext(PayrollModule.with(settings, screen, database), {
      abortOnError: false,
      logger: new ScreenLogger(screen),
    });
    return await commandOf(order, app);
  } finally {
    screen.progress('');
    await app?.close();
    await database.close();
  }
}

function commandOf(order: RunningOrder, app: INestApplicationContext): Promise<ExitCode> {
  switch (order.command) {
    case 'check':
      return app.get(CheckCommand).run(order);
    case 'pay':
      return app.get(PayCommand).run(order);
    case 'settle':
      return app.get(SettleCommand).run(order);
  }
}

function explain(error: unknown, screen: Screen): ExitCode {
  if (error instanceof PayrollProblem) {
    screen.problem({ look: 'red', text: error.message });
    for (const detail of error.details) for (const line of detail.split('\n')) screen.problem(line);
    return error.exitCode;
  }
  if (!isPaymentsError(error)) {
    for (const line of failureText(error).split('\n')) screen.problem({ look: 'red', text: line });
    return EXIT.stopped;
  }
  screen.problem({ look: 'red', text: error.message });
  if (error.hint !== undefined) screen.problem(error.hint);
  return error instanceof PaymentsConfigError ? EXIT.problem : EXIT.stopped;
}

/** Describes a system error in a sentence. Any other error is a bug of the program. */
function failureText(error: unknown): string {
  const { code, message, stack } = error as NodeJS.ErrnoException;
  return `The program could not go on: ${code === undefined ? (stack ?? String(error)) : `${message} (${code})`}`;
}
