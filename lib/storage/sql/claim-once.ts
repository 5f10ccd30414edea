import { type ClaimResult, type InboxDelivery } from '../inbox-store.js';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { decideClaim, type InboxEntry } from '../inbox-decision.js';
import { type HeldKey, type RunScript, type SqlRow, type SqlScript } from './sql-database.js';
import { type InboxStatements } from './sql-statements.js';
import { fromSqlText, inboxKeyValues } from './sql-text.js';

/** Each further try means that another process changed the entry in between. */
const TRIES = 20;

/** A claimed entry. */
export interface HeldEntry extends HeldKey {
  readonly attempt: number;
  readonly finished: readonly string[];
}

/** The result of a claim, before the inbox decides how to record its end. */
type Claimed =
  | { readonly result: 'claimed'; readonly entry: HeldEntry }
  | Exclude<ClaimResult, { readonly result: 'claimed' }>;

/**
 * Claims a delivery with one operation; with further ones only if another process changes the entry
 * meanwhile.
 */
export async function claimOnce(
  run: RunScript,
  statements: Pick<InboxStatements, 'claim' | 'adopt' | 'fail'>,
  delivery: InboxDelivery,
  leaseMs: number,
): Promise<Claimed> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const script: SqlScript = {
      ...statements.claim(delivery, leaseMs),
      // No process would run the handlers, and each delivery would wait for the end of the lease.
      undoLate: ({ rows: [late] }) => {
        const fence = late?.['fence'];
        return fence == null ? undefined : statements.fail({ values: inboxKeyValues(delivery.key), fence });
      },
    };
    const [row] = (await run(script)).rows;
    if (!row && delivery.mustExist) return { result: 'missing' };
    const claimed = row && readRow(row, delivery);
    if (!claimed) continue;
    const adopts = claimed.result === 'done' && row['provider_reference'] === null;
    if (!adopts || delivery.providerReference === undefined) return claimed;
    if ((await run(statements.adopt(delivery))).rowCount === 1) return claimed;
  }
  throw new PaymentsStorageError(
    'The delivery could not be claimed: other processes kept changing its entry. Its next delivery tries again.',
  );
}

/** Returns undefined if the entry has changed since the statement began. */
function readRow(row: SqlRow, delivery: InboxDelivery): Claimed | undefined {
  const { fence } = row;
  if (fence != null) {
    const names = JSON.parse(row['finished'] ?? '[]') as readonly string[];
    const entry = {
      fence,
      values: inboxKeyValues(delivery.key),
      attempt: Number(row['attempt']),
      finished: names.map(fromSqlText),
    };
    return { result: 'claimed', entry };
  }
  const now = Number(row['now_ms']);
  const existing = existingEntry(row);
  const decision = decideClaim(existing, delivery, now);
  if (decision === 'busy') return { result: 'busy', leaseLeftMs: existing.leaseUntil - now };
  if (decision === 'conflict') return { result: 'conflict', existingEvent: existing.event };
  return decision === 'done' ? { result: 'done' } : undefined;
}

function existingEntry(row: SqlRow): InboxEntry {
  return {
    event: fromSqlText(row['event'] ?? ''),
    fingerprint: row['fingerprint'] ?? '',
    providerReference: row['provider_reference'] ?? undefined,
    state: row['state'] as InboxEntry['state'],
    leaseUntil: Number(row['lease_ms']),
  };
}
