import { type PayoutBatch } from '../../batches/index.js';
import { isPaymentsError, PaymentsError } from '../../errors/payments-errors.js';
import { type StopSignal } from '../command.js';
import { batchDocument, printProgress } from './batch-summary.js';
import { EXIT, exitCodeOf, unknownLines } from './exit-code.js';
import { onInterruption } from './interruption.js';
import { shellWord } from '../shell-word.js';
import { commandLine, openBatch, type PayoutSession, refuseOtherFile } from './payout-session.js';
import { progressScreen } from './progress-screen.js';

/** `--run` */
export async function runBatch(session: PayoutSession): Promise<number> {
  const { args, context, engine } = session;
  const batch = await openBatch(session);
  await refuseOtherFile(session, batch);
  let hasBegun = false;
  try {
    await begin(batch, args.by);
    hasBegun = true;
    await engine.begin();
    await payWithProgress(session, batch);
    return await printSummary(session, batch);
  } catch (error) {
    if (!isPaymentsError(error) || error.code === 'BATCH_STATE' || error.code === 'BATCH_CHANGED')
      throw error;
    context.terminal.say(context.terminal.paint('red', error.message));
    if (hasBegun) {
      context.terminal.say('Lines may have been sent: pay none of them another way. To continue:');
      context.terminal.say(`  ${commandLine(args, `--run --by ${shellWord(args.by)}`)}`);
    }
    return codeAfter(batch);
  }
}

/** The exit code of a run that an error ended. Also then a script must not overlook that outcomes are unknown. */
async function codeAfter(batch: PayoutBatch): Promise<number> {
  const progress = await batch.progress().catch(() => undefined);
  return progress && unknownLines(progress) > 0 ? EXIT.unknown : EXIT.stopped;
}

async function printSummary(session: PayoutSession, batch: PayoutBatch): Promise<number> {
  if (!session.args.values.json) return exitCodeOf(await printProgress(session, batch));
  const progress = await batch.progress();
  session.context.terminal.data(JSON.stringify({ type: 'summary', ...batchDocument(batch, progress) }));
  return exitCodeOf(progress);
}

/** Nothing, if a killed process left it running, or nothing is left to be sent. */
async function begin(batch: PayoutBatch, by: string): Promise<void> {
  const { state } = await batch.progress();
  if (state === 'paused') await batch.resume({ by });
  else if (state !== 'running' && state !== 'ended' && state !== 'cancelled') await batch.start({ by });
}

async function payWithProgress(session: PayoutSession, batch: PayoutBatch): Promise<void> {
  const { args, context, engine, log } = session;
  const screen = await progressScreen('pay', session);
  const pause = (): void => {
    log.say('Pausing: what is being sent ends first. Ctrl-C again ends at once.');
    batch.pause({ by: args.by }).catch((error: unknown) => {
      // It has just ended.
      if (isPaymentsError(error) && error.code === 'BATCH_STATE') return;
      log.say(`It cannot be paused: ${error instanceof PaymentsError ? error.message : 'the storage fails'}`);
    });
  };
  const endProcess = (signal: StopSignal): void => {
    screen.end();
    process.kill(process.pid, signal);
  };
  const stopListening = onInterruption(context.onSignal, { pause, endProcess });
  try {
    for await (const progress of batch.watch()) screen.show(progress);
    // Lines that are being sent end before anything is said about them.
    await engine.close();
  } finally {
    screen.end();
    stopListening();
  }
}
