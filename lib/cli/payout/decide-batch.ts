import { isPaymentsError, PaymentsError } from '../../errors/payments-errors.js';
import { formatTzs } from '../../common/money.js';
import { quoted } from '../../common/quoted.js';
import { type LineState, type PayoutBatch } from '../../batches/index.js';
import { batchDocument, sayWhereItIs } from './batch-summary.js';
import { EXIT, exitCodeOf } from './exit-code.js';
import { openBatch, type PayoutDesk, refuseOtherFile } from './payout-desk.js';
import { keysOf, type Settlement, settlementsOf } from './payout-order.js';

const NEVER_SENT: readonly LineState[] = ['waiting', 'blocked', 'checked'];

/** `--accept` */
export async function acceptLines(desk: PayoutDesk): Promise<number> {
  const { by, values } = desk.order;
  const keys = keysOf(values.accept ?? '');
  const batch = await openBatch(desk);
  await refuseOtherFile(desk, batch);
  const accepted = await batch.accept(keys, { by, because: values.because ?? '' });
  await sayResult(desk, batch, { accepted }, [
    `${accepted} of ${keys.length} lines were blocked, and are accepted: they are paid after the approval.`,
  ]);
  return accepted === keys.length ? EXIT.fine : EXIT.problem;
}

/** `--approve` */
export async function approveBatch(desk: PayoutDesk): Promise<number> {
  const { by, values } = desk.order;
  const batch = await openBatch(desk);
  await refuseOtherFile(desk, batch);
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
  await sayResult(desk, batch, {}, [`${by} approved ${lines} lines, ${formatTzs(amount, 'en')}.${more}`]);
  return EXIT.fine;
}

/** `--cancel` */
export async function cancelBatch(desk: PayoutDesk): Promise<number> {
  const batch = await openBatch(desk);
  await batch.cancel({ by: desk.order.by });
  await sayResult(desk, batch, {}, []);
  return EXIT.fine;
}

/** `--ask-again` */
export async function askAgain(desk: PayoutDesk): Promise<number> {
  const { by } = desk.order;
  const batch = await openBatch(desk);
  await refuseOtherFile(desk, batch);
  const found = await batch.askAgain();
  await sayResult(desk, batch, { found, by }, [
    `${by} asked again: ${found} lines have an outcome that was not known before.`,
  ]);
  return exitCodeOf(await batch.progress());
}

/** `--settle` */
export async function settleLines(desk: PayoutDesk): Promise<number> {
  const { by, values } = desk.order;
  const settlements = settlementsOf(values.settle ?? []);
  const batch = await openBatch(desk);
  await refuseOtherFile(desk, batch);
  await refuseWrongSettlements(batch, settlements);
  const written: string[] = [];
  try {
    for (const { key, outcome } of settlements) {
      await batch.settle(key, outcome, { by });
      written.push(`${key} is ${outcome}.`);
    }
  } catch (error) {
    if (written.length > 0)
      desk.context.terminal.say(`Written down before it failed, which stays: ${written.join(' ')}`);
    throw error;
  }
  await sayResult(desk, batch, { settled: settlements.length }, [written.join(' ')]);
  return exitCodeOf(await batch.progress());
}

/** An outcome is final, so a typing error in one of the keys must not leave the others written down. */
async function refuseWrongSettlements(batch: PayoutBatch, settlements: readonly Settlement[]): Promise<void> {
  const missing = new Map(settlements.map(({ key, outcome }) => [key, outcome]));
  for await (const { key, state } of batch.lines()) {
    const outcome = missing.get(key);
    if (outcome === undefined) continue;
    if (NEVER_SENT.includes(state)) throw notSettled(`The line ${quoted(key)} was never sent`);
    if ((state === 'paid' || state === 'failed') && state !== outcome)
      throw notSettled(`The line ${quoted(key)} is ${state} already`);
    missing.delete(key);
  }
  for (const key of missing.keys())
    throw notSettled(`The batch ${quoted(batch.name)} has no line ${quoted(key)}`);
}

function notSettled(problem: string): PaymentsError {
  return new PaymentsError('LINE_NOT_SETTLED', `${problem}, so no outcome was written down.`);
}

async function sayResult(
  desk: PayoutDesk,
  batch: PayoutBatch,
  more: object,
  says: readonly string[],
): Promise<void> {
  const { data } = desk.context.terminal;
  if (desk.order.values.json) {
    data(JSON.stringify({ ...batchDocument(batch, await batch.progress()), ...more }));
    return;
  }
  for (const line of says) data(line);
  await sayWhereItIs(desk, batch);
}
