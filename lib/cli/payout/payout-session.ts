import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type PayoutBatch, type PayoutBatches, type PayoutLine } from '../../batches/index.js';
import { isPaymentsError, PaymentsError } from '../../errors/payments-errors.js';
import { digestOfLines } from '../../batches/loading/lines-digest.js';
import { type CommandContext } from '../command.js';
import { isBatchName } from '../../batches/lines/payout-line.js';
import { shellWord } from '../shell-word.js';
import { noFileAt, readableCsv } from '../text-file.js';
import { UsageError } from '../usage-error.js';
import { type HeldEngine, onlyJobs } from './only-jobs.js';
import { type PayoutArguments } from './payout-arguments.js';
import { nestCore } from '../nest-core.js';
import { type CommandApplication, withApplication } from '../with-application.js';

/** Long enough to wait out a 429, which may ask for a minute. */
const DEADLINE_MS = 90_000;
const DAY_MS = 86_400_000;

/** What the actions work with. */
export interface PayoutSession extends Omit<CommandApplication, 'app'> {
  readonly args: PayoutArguments;
  readonly context: CommandContext;
  readonly batches: PayoutBatches;
  readonly engine: HeldEngine;
  /** The lines of a file as they come. */
  readonly linesOf: (path: string) => AsyncIterable<PayoutLine>;
}

/** Starts Nest with payments and batches, and ends it after the work. */
export async function withSession<T>(
  args: PayoutArguments,
  context: CommandContext,
  work: (session: PayoutSession) => Promise<T>,
): Promise<T> {
  const { action, batch, word } = args;
  const isLoad = action === 'check' && fileOf({ args, context }) !== undefined;
  if (action === 'check' && !isLoad && !isBatchName(word)) throw noFile({ args, context });
  await nestCore('payout');
  const { inProcess, linesFromCsv, PayoutBatches, PayoutBatchesModule } =
    await import('nestjs-payments/batches');
  const engine = onlyJobs(
    inProcess(),
    (job) => job.batch === batch && (job.kind === 'check' ? action === 'check' : action === 'run'),
  );
  const linesOf = (path: string): AsyncIterable<PayoutLine> =>
    readableCsv(() => linesFromCsv(createReadStream(path)), word);
  const command = {
    mayBeNew: isLoad,
    missing: (file: string) =>
      `There is no ${file} here, so nothing was checked in this folder: go to the folder of --check, set DATABASE_URL, or write --database <path>.`,
    options: PAYOUTS,
    imports: [PayoutBatchesModule.forRoot({ engine })],
  };
  return withApplication(command, args, context, ({ app, ...application }) =>
    work({ args, context, ...application, batches: app.get(PayoutBatches), engine, linesOf }),
  );
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
export async function openBatch({ batches, args, place }: PayoutSession): Promise<PayoutBatch> {
  try {
    return await batches.open(args.batch);
  } catch (error) {
    if (!isPaymentsError(error) || error.code !== 'BATCH_NOT_FOUND') throw error;
    throw new PaymentsError(
      error.code,
      `There is no batch "${args.batch}" in ${place}. Load it first: ${commandLine(args, '--check --by <person>')}`,
    );
  }
}

/** The file of the command line; undefined if the word is the name of a batch. */
export function fileOf({ args, context }: Pick<PayoutSession, 'args' | 'context'>): string | undefined {
  const path = resolve(context.folder, args.word);
  const found = args.word === '' ? undefined : statSync(path, { throwIfNoEntry: false });
  // A folder may have the name of a batch.
  return found === undefined || found.isDirectory() ? undefined : path;
}

/** Nobody who types a path that leads nowhere means a batch that happens to have its last word as a name. */
export function noFile({ args, context }: Pick<PayoutSession, 'args' | 'context'>): UsageError {
  const { word, batch, action } = args;
  const { message } = noFileAt(resolve(context.folder, word), word);
  if (action === 'check') return new UsageError(message);
  return new UsageError(`${message} If you mean the batch "${batch}", write its name instead of the file.`);
}

/**
 * Who types the name of a file means what is in it now.
 *
 * @throws PaymentsError if the batch was loaded from other lines.
 */
export async function refuseOtherFile(session: PayoutSession, batch: PayoutBatch): Promise<void> {
  const { args } = session;
  const path = fileOf(session);
  if (path === undefined) {
    if (isBatchName(args.word)) return;
    throw noFile(session);
  }
  if ((await digestOfLines(session.linesOf(path))) === (await loadedDigest(batch))) return;
  if (args.action === 'settle' || args.action === 'ask-again') {
    throw new PaymentsError(
      'BATCH_CHANGED',
      `${args.word} differs from what was loaded as "${batch.name}", and nothing was done. If you mean that batch, write its name instead of the file.`,
    );
  }
  throw new PaymentsError(
    'BATCH_CHANGED',
    `${args.word} differs from what was loaded as "${batch.name}", and nothing was done. If nothing of it is paid yet, end that batch (${commandLine(args, '--cancel --by <person>')}), ` +
      `and load the file under another name (${commandLine({ ...args, batch: `${batch.name}-b` }, '--check --by <person>')}).`,
  );
}

/** That of the lines alone: that of approvals depends on what was accepted, too. */
async function loadedDigest(batch: PayoutBatch): Promise<unknown> {
  for await (const { action, details } of batch.audit()) if (action === 'load') return details['digest'];
  return undefined;
}

/** A command for the same batch in the same storage, as a person types it. */
export function commandLine({ word, batch, values }: PayoutArguments, rest: string): string {
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
