import { type PayoutBatch } from '../../batches/index.js';
import { isPaymentsError, PaymentsError } from '../../errors/payments-errors.js';
import { type StopSignal } from '../command.js';
import { batchDocument, sayWhereItIs } from './batch-summary.js';
import { EXIT, exitCodeOf } from './exit-code.js';
import { onInterruption } from './interruption.js';
import { shellWord } from '../shell-word.js';
import { commandLine, openBatch, type PayoutDesk, refuseOtherFile } from './payout-desk.js';
import { progressScreen } from './progress-screen.js';

/** `--run` */
export async function runBatch(desk: PayoutDesk): Promise<number> {
  const { order, context, engine } = desk;
  const batch = await openBatch(desk);
  await refuseOtherFile(desk, batch);
  let hasBegun = false;
  try {
    await begin(batch, order.by);
    hasBegun = true;
    await engine.begin();
    await payWithProgress(desk, batch);
    return await saySummary(desk, batch);
  } catch (error) {
    if (!isPaymentsError(error) || error.code === 'BATCH_STATE' || error.code === 'BATCH_CHANGED')
      throw error;
    context.terminal.say(context.terminal.paint('red', error.message));
    if (hasBegun) {
      context.terminal.say('Lines may have been sent: pay none of them another way. To go on:');
      context.terminal.say(`  ${commandLine(order, `--run --by ${shellWord(order.by)}`)}`);
    }
    return EXIT.stopped;
  }
}

async function saySummary(desk: PayoutDesk, batch: PayoutBatch): Promise<number> {
  if (!desk.order.values.json) return exitCodeOf(await sayWhereItIs(desk, batch));
  const progress = await batch.progress();
  desk.context.terminal.data(JSON.stringify({ type: 'summary', ...batchDocument(batch, progress) }));
  return exitCodeOf(progress);
}

/** Nothing, if a killed process left it running, or nothing is left to be sent. */
async function begin(batch: PayoutBatch, by: string): Promise<void> {
  const { state } = await batch.progress();
  if (state === 'paused') await batch.resume({ by });
  else if (state !== 'running' && state !== 'ended' && state !== 'cancelled') await batch.start({ by });
}

async function payWithProgress(desk: PayoutDesk, batch: PayoutBatch): Promise<void> {
  const { order, context, engine, log } = desk;
  const screen = await progressScreen('pay', desk);
  const pause = (): void => {
    log.say('Pausing: what is being sent ends first. Ctrl-C again ends at once.');
    batch.pause({ by: order.by }).catch((error: unknown) => {
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
