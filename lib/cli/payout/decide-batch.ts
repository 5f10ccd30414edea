import { isPaymentsError, PaymentsError } from '../../errors/payments-errors.js';
import { formatTzs } from '../../common/money.js';
import { quoted } from '../../common/quoted.js';
import { notSettled, refuseRefused } from '../../batches/batch/line-settlement.js';
import { type LineState, type PayoutBatch } from '../../batches/index.js';
import { batchDocument, printProgress } from './batch-summary.js';
import { EXIT, exitCodeOf, unknownLines } from './exit-code.js';
import { openBatch, type PayoutSession, refuseOtherFile } from './payout-session.js';
import { type Settlement } from './payout-arguments.js';

const NEVER_SENT: readonly LineState[] = ['waiting', 'blocked', 'checked'];
const FAILED_BEFORE =
  ' (if the gateway paid it, do not pay it again: reconcile shows a "status" exception to --explain)';

/** `--accept` */
export async function acceptLines(session: PayoutSession): Promise<number> {
  const { by, accepted: keys, values } = session.args;
  const batch = await openBatch(session);
  await refuseOtherFile(session, batch);
  const accepted = await batch.accept(keys, { by, because: values.because ?? '' });
  await printResult(session, batch, { accepted }, [
    `${accepted} of ${keys.length} lines were blocked, and are accepted: they are paid after the approval.`,
  ]);
  return accepted === keys.length ? EXIT.fine : EXIT.problem;
}

/** `--approve` */
export async function approveBatch(session: PayoutSession): Promise<number> {
  const { by, values } = session.args;
  const batch = await openBatch(session);
  await refuseOtherFile(session, batch);
  const withoutBlocked = values['without-blocked'] ?? false;
  await batch.approve({ by, digest: values.digest ?? '', withoutBlocked }).catch((error: unknown) => {
    if (!isPaymentsError(error) || error.code !== 'BATCH_BLOCKED') throw error;
    throw new PaymentsError(
      error.code,
      'Nothing was approved, because lines are blocked, or not checked: look at them with --check, then --accept them, or write --without-blocked to leave them unpaid.',
    );
  });
  const { byState, state } = await batch.progress();
  // Blocked lines stay out.
  const { lines, amount } = byState.checked ?? { lines: 0, amount: '0' };
  const more = state === 'checked' ? ' One more person has to.' : '';
  await printResult(session, batch, {}, [
    `${by} approved ${lines} lines, ${formatTzs(amount, 'en')}.${more}`,
  ]);
  return EXIT.fine;
}

/** `--cancel` */
export async function cancelBatch(session: PayoutSession): Promise<number> {
  const batch = await openBatch(session);
  await batch.cancel({ by: session.args.by });
  await printResult(session, batch, {}, []);
  return unknownLines(await batch.progress()) > 0 ? EXIT.unknown : EXIT.fine;
}

/** `--ask-again` */
export async function askAgain(session: PayoutSession): Promise<number> {
  const { by } = session.args;
  const batch = await openBatch(session);
  await refuseOtherFile(session, batch);
  const found = await batch.askAgain();
  await printResult(session, batch, { found, by }, [
    `${by} asked again: ${found} lines have another state now.`,
  ]);
  return exitCodeOf(await batch.progress());
}

/** `--settle` */
export async function settleLines(session: PayoutSession): Promise<number> {
  const { by, settlements } = session.args;
  const batch = await openBatch(session);
  await refuseOtherFile(session, batch);
  await refuseWrongSettlements(batch, settlements);
  const written: string[] = [];
  try {
    for (const { key, outcome } of settlements) {
      await batch.settle(key, outcome, { by });
      written.push(`${key} is ${outcome}.`);
    }
  } catch (error) {
    if (written.length > 0)
      session.context.terminal.say(`Written down before it failed, which stays: ${written.join(' ')}`);
    throw error;
  }
  await printResult(session, batch, { settled: settlements.length }, [written.join(' ')]);
  return exitCodeOf(await batch.progress());
}

/** An outcome is final, so a typing error in one of the keys must not leave the others written down. */
async function refuseWrongSettlements(batch: PayoutBatch, settlements: readonly Settlement[]): Promise<void> {
  const missing = new Map(settlements.map(({ key, outcome }) => [key, outcome]));
  for await (const { key, state } of batch.lines()) {
    const outcome = missing.get(key);
    if (outcome === undefined) continue;
    if (NEVER_SENT.includes(state))
      throw notSettled(
        `The line ${quoted(key)} was never sent as far as the batch knows (--ask-again compares it with the journal)`,
      );
    if ((state === 'paid' || state === 'failed') && state !== outcome)
      throw notSettled(
        `The line ${quoted(key)} is ${state} already${state === 'failed' ? FAILED_BEFORE : ''}`,
      );
    refuseRefused({ key, state }, outcome);
    missing.delete(key);
  }
  for (const key of missing.keys())
    throw notSettled(`The batch ${quoted(batch.name)} has no line ${quoted(key)}`);
  await refuseOtherOutcomes(batch, settlements);
}

/** A payment may have ended without its batch: an application settles it, or a status answer does. */
async function refuseOtherOutcomes(batch: PayoutBatch, settlements: readonly Settlement[]): Promise<void> {
  const problems: string[] = [];
  for (const { key, outcome } of settlements) {
    const problem = await batch.settlementProblem(key, outcome);
    if (problem !== undefined) problems.push(problem);
  }
  if (problems.length === 0) return;
  throw new PaymentsError('LINE_NOT_SETTLED', `No outcome was written down. ${problems.join(' ')}`);
}

async function printResult(
  session: PayoutSession,
  batch: PayoutBatch,
  more: object,
  says: readonly string[],
): Promise<void> {
  const { data } = session.context.terminal;
  if (session.args.values.json) {
    data(JSON.stringify({ ...batchDocument(batch, await batch.progress()), ...more }));
    return;
  }
  for (const line of says) data(line);
  await printProgress(session, batch);
}
