import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { printable } from '../../common/printable.js';
import { type PayoutBatch, type PayoutBatches, type PayoutLine } from '../../batches/index.js';
import { optionsFromEnvironment, type PaymentsFactoryOptions } from '../../config/environment-options.js';
import { isPaymentsError, PaymentsError } from '../../errors/payments-errors.js';
import { digestOfLines } from '../../batches/loading/lines-digest.js';
import { type CommandContext } from '../command.js';
import { applicationEnvironment } from '../environment.js';
import { isBatchName } from '../../batches/lines/payout-line.js';
import { shellWord } from '../shell-word.js';
import { UsageError } from '../usage-error.js';
import { LogLines } from '../log-lines.js';
import { type HeldEngine, onlyJobs } from './only-jobs.js';
import { type PayoutOrder } from './payout-order.js';
import { type CommandStorage, withStorage } from '../command-storage.js';
import { nestCore } from '../nest-core.js';

/** Long enough to wait out a 429, which may ask for a minute. */
const DEADLINE_MS = 90_000;
const DAY_MS = 86_400_000;

/** What the actions work with. */
export interface PayoutDesk {
  readonly order: PayoutOrder;
  readonly context: CommandContext;
  readonly log: LogLines;
  readonly batches: PayoutBatches;
  /** Where batches are written down, for people. */
  readonly place: string;
  /** The gateway's address. */
  readonly gateway: string;
  readonly engine: HeldEngine;
  /** The lines of a file as they come. */
  readonly linesOf: (path: string) => AsyncIterable<PayoutLine>;
}

/** Starts Nest with payments and batches, and ends it after the work. */
export function withDesk<T>(
  order: PayoutOrder,
  context: CommandContext,
  work: (desk: PayoutDesk) => Promise<T>,
): Promise<T> {
  if (order.action === 'check' && !isBatchName(order.word) && fileOf({ order, context }) === undefined) {
    throw noFile(order);
  }
  const environment = applicationEnvironment(order.values.dotenv, context);
  const { database, schema } = order.values;
  const where = {
    url: environment['DATABASE_URL']?.trim() ?? '',
    database,
    schema,
    folder: context.folder,
    mayBeNew: order.action === 'check' && fileOf({ order, context }) !== undefined,
    missing: (file: string) =>
      `There is no ${file} here, so nothing was checked in this folder: go to the folder of --check, set DATABASE_URL, or write --database <path>.`,
  };
  // The gateway has no webhooks for payouts, so the command needs no secret for them.
  const { webhooks: _notForPayouts, ...options } = optionsFromEnvironment(environment);
  return withStorage(where, (storage) => withNest({ order, context, options, ...storage }, work));
}

async function withNest<T>(
  {
    order,
    context,
    options,
    storage,
    place,
  }: CommandStorage & {
    readonly order: PayoutOrder;
    readonly context: CommandContext;
    readonly options: Omit<PaymentsFactoryOptions, 'webhooks'>;
  },
  work: (desk: PayoutDesk) => Promise<T>,
): Promise<T> {
  const { NestFactory } = await nestCore('payout');
  const { inProcess, linesFromCsv, PayoutBatches, PayoutBatchesModule } =
    await import('nestjs-payments/batches');
  const { PaymentsModule } = await import('nestjs-payments');
  const { action, batch, auth } = order;
  const engine = onlyJobs(
    inProcess(),
    (job) => job.batch === batch && (job.kind === 'check' ? action === 'check' : action === 'run'),
  );
  const log = new LogLines(context.terminal);
  const module = {
    module: PayoutCommandModule,
    imports: [
      PaymentsModule.forRoot({ ...options, ...(auth && { auth }), ...PAYOUTS, storage }),
      PayoutBatchesModule.forRoot({ engine }),
    ],
  };
  const settings = { logger: log, abortOnError: false };
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest takes an object
  const app = await NestFactory.createApplicationContext(module, settings);
  try {
    const batches = app.get(PayoutBatches);
    const linesOf = (path: string): AsyncIterable<PayoutLine> =>
      readable(linesFromCsv(createReadStream(path)), order.word);
    return await work({ order, context, log, batches, place, gateway: options.baseUrl, engine, linesOf });
  } finally {
    await app.close();
  }
}

/** A file that cannot be read is a wrong command line, and no crash. */
async function* readable(lines: AsyncIterable<PayoutLine>, word: string): AsyncGenerator<PayoutLine, void> {
  try {
    yield* lines;
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new UsageError(
      `${printable(word)} cannot be read (${String(code)}): name a CSV file that you may read.`,
    );
  }
}

/** Nest needs a class for what it imports. */
class PayoutCommandModule {
  readonly command = 'payout';
}

const PAYOUTS = {
  deadlineMs: DEADLINE_MS,
  // A later command probes a payout whose answer was lost, once, with the same key and the same bytes. The gateway accepts it, or
  // answers that it already has it. A probe within the call would hold up the next lines.
  probe: { disbursements: { afterAnswerMs: DEADLINE_MS, afterSilenceMs: DEADLINE_MS } },
  // Somebody may ask again on the next morning.
  recoveryWindowMs: DAY_MS,
} as const;

/** The batch of the command line. */
export async function openBatch({ batches, order, place }: PayoutDesk): Promise<PayoutBatch> {
  try {
    return await batches.open(order.batch);
  } catch (error) {
    if (!isPaymentsError(error) || error.code !== 'BATCH_NOT_FOUND') throw error;
    throw new PaymentsError(
      error.code,
      `There is no batch "${order.batch}" in ${place}. Load it first: ${commandLine(order, '--check --by <person>')}`,
    );
  }
}

/** The file of the command line; undefined if the word is the name of a batch. */
export function fileOf({ order, context }: Pick<PayoutDesk, 'order' | 'context'>): string | undefined {
  const path = resolve(context.folder, order.word);
  const found = order.word === '' ? undefined : statSync(path, { throwIfNoEntry: false });
  // A folder may have the name of a batch.
  return found === undefined || found.isDirectory() ? undefined : path;
}

/** Nobody who types a path that leads nowhere means a batch that happens to have its last word as a name. */
export function noFile({ word, batch, action }: PayoutOrder): PaymentsError {
  return new PaymentsError(
    'FILE_NOT_FOUND',
    `There is no file ${printable(word)} here, and nothing was done.${action === 'check' ? '' : ` If you mean the batch "${batch}", write its name in the place of the file.`}`,
  );
}

/**
 * Who types the name of a file means what is in it now.
 *
 * @throws PaymentsError if the batch was loaded from other lines.
 */
export async function refuseOtherFile(desk: PayoutDesk, batch: PayoutBatch): Promise<void> {
  const { order } = desk;
  const path = fileOf(desk);
  if (path === undefined) {
    if (isBatchName(order.word)) return;
    throw noFile(order);
  }
  if ((await digestOfLines(desk.linesOf(path))) === (await loadedDigest(batch))) return;
  if (order.action === 'settle' || order.action === 'ask-again') {
    throw new PaymentsError(
      'BATCH_CHANGED',
      `${order.word} differs from what was loaded as "${batch.name}", and nothing was done. If you mean that batch, write its name in the place of the file.`,
    );
  }
  throw new PaymentsError(
    'BATCH_CHANGED',
    `${order.word} differs from what was loaded as "${batch.name}", and nothing was done. If nothing of it is paid yet, end that batch (${commandLine(order, '--cancel --by <person>')}), ` +
      `and load the file under another name (${commandLine({ ...order, batch: `${batch.name}-b` }, '--check --by <person>')}).`,
  );
}

/** That of the lines alone: that of approvals depends on what was accepted, too. */
async function loadedDigest(batch: PayoutBatch): Promise<unknown> {
  for await (const { action, details } of batch.audit()) if (action === 'load') return details['digest'];
  return undefined;
}

/** A command for the same batch in the same storage, as a person types it. */
export function commandLine({ word, batch, values }: PayoutOrder, rest: string): string {
  const { database, schema, auth, dotenv } = values;
  const isNamed =
    word
      .replace(/\.[^./\\]*$/, '')
      .split(/[/\\]/)
      .at(-1) !== batch;
  const same = { name: isNamed && word !== '' ? batch : undefined, database, schema, auth, dotenv };
  const options = Object.entries(same).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${shellWord(value)}`],
  );
  return ['npx nestjs-payments payout', shellWord(word === '' ? batch : word), rest, ...options].join(' ');
}
