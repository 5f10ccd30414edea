import { randomBytes } from 'node:crypto';
import { formatCents } from '../../common/money.js';
import { quoted } from '../../common/quoted.js';
import { PaymentsError, PaymentsValidationError } from '../../errors/payments-errors.js';
import { missingIdProblem } from '../../gateway/validation/field-rules.js';
import { type BatchRecord, type StoredBatch } from '../../storage/batch-store.js';
import { type BatchAccount } from '../batch/batch-accounts.js';
import { type BatchDetails } from '../batch/batch-details.js';
import { isBatchName, NAME_RULE } from '../lines/payout-line.js';
import { approvalsNeeded } from '../policy/approval-rule.js';
import { type ResolvedBatchPolicy } from '../policy/batch-policy.js';
import { changeBatch } from '../batch/batch-change.js';
import { LineIntake, type LoadedLines } from './line-intake.js';

/** How many batches with the same lines a message names. */
const NAMED = 5;

/** What a new batch is made of. */
interface BatchToLoad {
  readonly batch: string;
  readonly lines: AsyncIterable<unknown> | Iterable<unknown>;
  readonly by: string;
  /** Names of batches whose lines may be paid once more. */
  readonly again: readonly string[];
  readonly policy: ResolvedBatchPolicy;
}

/**
 * Loads the lines of a new batch. If it fails, nothing of the batch stays. What a process that died has loaded under the same
 * name is removed.
 *
 * @throws PaymentsValidationError that lists the bad lines.
 * @throws PaymentsError with the code `BATCH_EXISTS` or `BATCH_SAME_LINES`.
 */
export async function loadBatch(account: BatchAccount, wanted: BatchToLoad): Promise<StoredBatch> {
  const { batch } = wanted;
  const problem = isBatchName(batch) ? missingIdProblem(batch) : `must be ${NAME_RULE}`;
  if (problem !== undefined) throw new PaymentsValidationError({ batch: [`the name of a batch ${problem}`] });
  let stored = await begin(account, wanted);
  try {
    const loaded = await new LineIntake(account, stored.record.load).takeAll(wanted.lines);
    await refuseSameLines(account, stored.record, loaded, wanted.again);
    stored = await finish(account, stored, loaded, wanted);
    // Two loads of the same lines may both have looked before either of them was written.
    await refuseSameLines(account, stored.record, loaded, wanted.again);
    return stored;
  } catch (error) {
    // Why it failed says more than what could not be removed, which the next load under this name removes.
    await abandonLoad(account, stored).catch(() => undefined);
    throw error;
  }
}

async function begin({ scope, store }: BatchAccount, { batch, by }: BatchToLoad): Promise<StoredBatch> {
  const details: BatchDetails = { createdBy: by, round: 0, lines: 0, cents: '0', approvals: [] };
  const record: BatchRecord = {
    ...scope,
    batch,
    state: 'loading',
    load: randomBytes(16).toString('hex'),
    details: JSON.stringify(details),
  };
  const event = { action: 'create', by, details: '{}' };
  const { created, stored } = await store.create(record, event);
  if (created) return stored;
  const isLoading = stored.record.state === 'loading';
  // The process that loads it is dead, or finds out at the end that the batch is not its own any more.
  const taken =
    isLoading && (await store.replace(stored.version, record, { ...event, action: 'create-again' }));
  if (!taken) throw exists(batch);
  await store.removeLoad(stored.record.load);
  return taken;
}

async function refuseSameLines(
  { store }: BatchAccount,
  record: BatchRecord,
  { digest, earlierDigests }: LoadedLines,
  again: readonly string[],
): Promise<void> {
  const same: string[] = [];
  for (const each of [digest, ...earlierDigests])
    same.push(...(await store.withDigest(record, each, again.length + NAMED)));
  const unexpected = same.filter((name) => !again.includes(name));
  if (unexpected.length === 0) return;
  throw new PaymentsError(
    'BATCH_SAME_LINES',
    `The same lines were loaded as ${unexpected.map(quoted).join(', ')}: paying them once more needs again: [${unexpected.map(quoted).join(', ')}].`,
  );
}

async function finish(
  account: BatchAccount,
  stored: StoredBatch,
  { lines, cents, digest }: LoadedLines,
  { by, policy }: BatchToLoad,
): Promise<StoredBatch> {
  const { batch, load } = stored.record;
  const loaded = await changeBatch(account, stored, ({ record }) =>
    record.load === load
      ? {
          action: 'load',
          by,
          digest,
          details: { lines, amount: formatCents(cents), digest },
          changes: { lines, cents: String(cents), approvalsNeeded: approvalsNeeded(cents, policy) },
        }
      : undefined,
  );
  if (loaded) return loaded;
  throw exists(batch);
}

async function abandonLoad({ store }: BatchAccount, { record, version }: StoredBatch): Promise<void> {
  const isRemoved = await store.remove(record, version);
  const current = isRemoved ? undefined : await store.get(record);
  // If only the answer of the last step was lost, the batch is loaded, and keeps its lines.
  if (current?.record.load !== record.load) await store.removeLoad(record.load);
}

function exists(batch: string): PaymentsError {
  return new PaymentsError(
    'BATCH_EXISTS',
    `There is a batch "${batch}" already, and nothing was loaded: open it, or choose another name.`,
  );
}
