import { isPaymentsError, PaymentsError } from '../../errors/payments-errors.js';
import { formatTzs } from '../../common/money.js';
import { quoted } from '../../common/quoted.js';
import { type PayoutBatch } from '../../batches/index.js';
import { batchDocument, sayWhereItIs } from './batch-summary.js';
import { EXIT, exitCodeOf } from './exit-code.js';
import { openBatch, type PayoutDesk, refuseOtherFile } from './payout-desk.js';
import { keysOf, type Settlement, settlementsOf } from './payout-order.js';

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
  const batch = await openBatch(desk);
  const found = await batch.askAgain();
  await sayResult(desk, batch, { found }, [`${found} lines have an outcome that was not known before.`]);
  return exitCodeOf(await batch.progress());
}

/** `--settle` */
export async function settleLines(desk: PayoutDesk): Promise<number> {
  const { by, values } = desk.order;
  const settlements = settlementsOf(values.settle ?? []);
  const batch = await openBatch(desk);
  await refuseOtherFile(desk, batch);
  await refuseUnknownKeys(batch, settlements);
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
async function refuseUnknownKeys(batch: PayoutBatch, settlements: readonly Settlement[]): Promise<void> {
  const missing = new Set(settlements.map(({ key }) => key));
  for await (const { key } of batch.lines()) missing.delete(key);
  const [first] = missing;
  if (first === undefined) return;
  throw new PaymentsError(
    'LINE_NOT_FOUND',
    `The batch ${quoted(batch.name)} has no line ${quoted(first)}, so no outcome was written down.`,
  );
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
