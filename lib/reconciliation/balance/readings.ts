import { randomUUID } from 'node:crypto';
import { type WalletService } from '../../wallet/wallet.service.js';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { type InboxScope } from '../../common/vocabulary.js';
import {
  type ReconciliationStore,
  type StoredReconciliationEntry,
} from '../../storage/reconciliation-store.js';
import { type BalanceReading } from '../close/close-summary.js';

/** A reading is named by the time right before its entry is written. */
const NAMED_BEFORE_MS = 60_000;
const PAGE = 100;

/** Whose balance. */
export interface ReadingPlace {
  readonly scope: InboxScope;
  readonly store: ReconciliationStore;
}

/**
 * Reads the balance and keeps it. Both times are by the clock of the storage, as those of the journal are: an entry is written
 * before the question, and changed after the answer.
 *
 * @param now By the clock of the storage.
 */
export async function readBalance(
  { scope, store }: ReadingPlace,
  wallet: Pick<WalletService, 'balance'>,
  now: number,
): Promise<BalanceReading> {
  const id = `${new Date(now).toISOString()}.${randomUUID()}`;
  const entry = { ...scope, kind: 'balance', id } as const;
  await store.add([{ ...entry, state: 'asked', details: '{}' }]);
  const { balance, available_balance: available, locked_balance: locked } = await wallet.balance();
  const details = JSON.stringify({ balance, available, locked });
  const stored = await store.replace(1, { ...entry, state: 'read', details });
  if (stored) return readingOf(stored);
  throw new PaymentsStorageError('The balance was read, and its entry was gone meanwhile: read it again.');
}

/**
 * The first reading that was asked for at or after a time, and that can close what another one opens: it was asked for when that one
 * had been answered, or it is that one. Of two that overlap nobody knows which balance is the later one.
 *
 * @param opening Undefined at the first close.
 */
export async function firstReading(
  { scope, store }: ReadingPlace,
  from: number,
  opening?: BalanceReading,
): Promise<BalanceReading | undefined> {
  let after = new Date(from - NAMED_BEFORE_MS).toISOString();
  for (;;) {
    const page = await store.list(scope, 'balance', { after, states: ['read'], limit: PAGE });
    const found = page.find(({ createdAt }) => createdAt >= from && follows(createdAt, opening));
    const last = page.at(-1);
    if (found || !last || page.length < PAGE) return found && readingOf(found);
    after = last.entry.id;
  }
}

function follows(askedAt: number, opening: BalanceReading | undefined): boolean {
  return !opening || askedAt >= opening.answeredAt.getTime() || askedAt === opening.askedAt.getTime();
}

function readingOf({ entry, createdAt, updatedAt }: StoredReconciliationEntry): BalanceReading {
  const amounts = JSON.parse(entry.details) as Pick<BalanceReading, 'balance' | 'available' | 'locked'>;
  // The clock of the database may have stepped back meanwhile.
  const answeredAt = new Date(Math.max(createdAt, updatedAt));
  return { askedAt: new Date(createdAt), answeredAt, ...amounts };
}
