import { type BatchLine, type LineChange } from '../../storage/batch-store.js';
import { type BatchAccess } from '../batch/batch-access.js';
import { checkState } from '../batch/batch-decisions.js';
import { resultOf } from '../batch/line-result.js';
import { paymentReference } from '../lines/payout-line.js';
import { inParallel } from './in-parallel.js';
import { payLine } from './pay-line.js';

const PAGE = 500;

/** Lets blocked lines be paid. Returns how many of them were blocked. */
export async function acceptLines(
  access: BatchAccess,
  keys: readonly string[],
  { by, because }: { readonly by: string; readonly because: string },
): Promise<number> {
  const { store } = access.account;
  const lines: BatchLine[] = [];
  for (const key of keys) lines.push(await access.line(key));
  const changes = lines.flatMap(({ number, result: text }): LineChange[] => {
    const result = resultOf(text);
    // Without a holder there is nobody to pay.
    if (result.holder === undefined) return [];
    const word = { by, holder: result.holder };
    return [{ number, from: ['blocked'], to: 'checked', result: JSON.stringify({ ...result, word }) }];
  });
  // Whoever approved before did not see that these lines are paid, too.
  await access.change((stored) => {
    checkState(stored, 'accept');
    return { action: 'accept', by, details: { keys, because }, changes: { approvals: [] } };
  });
  const changed = await store.change(access.load, changes);
  access.tell();
  return changed.length;
}

/** Calls every unknown line once more. Returns how many are not unknown any more. */
export async function askAboutUnknown(access: BatchAccess): Promise<number> {
  const { store, services } = access.account;
  const { concurrency, stopping } = access.around;
  let known = 0;
  const ask = async (line: BatchLine): Promise<void> => {
    const { change } = await payLine(services.disbursements, access.batch, line);
    const changed = await store.change(access.load, [change]);
    if (changed.length > 0 && change.to !== 'unknown') known += 1;
  };
  for (let after: number | undefined = 0; after !== undefined && !stopping.aborted;) {
    const lines: readonly BatchLine[] = await store.lines(access.load, {
      after,
      limit: PAGE,
      states: ['unknown'],
    });
    await inParallel(lines, concurrency, ask, () => !stopping.aborted);
    after = lines.at(-1)?.number;
  }
  access.tell();
  return known;
}

/** Writes down how a line ended. */
export async function settleLine(
  access: BatchAccess,
  key: string,
  outcome: 'paid' | 'failed',
  by: string,
): Promise<void> {
  const { store, services } = access.account;
  const { number } = await access.line(key);
  await services.journal.settle('disbursement', paymentReference(access.batch, key), outcome);
  const { record } = await access.stored();
  await store.append(record, { action: 'settle', by, details: JSON.stringify({ key, outcome }) });
  await store.change(access.load, [
    { number, from: ['sending', 'accepted', 'unknown', 'paid', 'failed'], to: outcome },
  ]);
  access.tell();
}
