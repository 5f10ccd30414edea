import { type ClaimResult, type InboxDelivery, type InboxKey } from '../inbox-store.js';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { decideClaim, type InboxEntry } from '../inbox-decision.js';
import { type InboxStatements } from './inbox-statements.js';
import { type RunStatement } from './pooled-connection.js';
import { fromSqlText, toSqlText } from './sql-text.js';

/** Each further try means that another process changed the entry in between. */
const TRIES = 20;

/** A claimed entry. */
export interface HeldEntry {
  /** The first parameters of its statements: key, then fence. */
  readonly values: readonly string[];
  readonly fence: string;
  readonly attempt: number;
  readonly finished: readonly string[];
}

/** The result of a claim, before the inbox decides how to record its end. */
export type Claimed =
  | { readonly result: 'claimed'; readonly entry: HeldEntry }
  | Exclude<ClaimResult, { readonly result: 'claimed' }>;

type ClaimRow = Readonly<Record<string, string | null>>;

/**
 * Claims a delivery with one statement; with further ones only if another process changes the entry
 * meanwhile.
 */
export async function claimOnce(
  run: RunStatement,
  statements: Pick<InboxStatements, 'claim' | 'claimExisting' | 'adopt'>,
  delivery: InboxDelivery,
  leaseMs: number,
): Promise<Claimed> {
  const key = keyValues(delivery.key);
  const { event, fingerprint, providerReference, replaces, mustExist } = delivery;
  const statement = mustExist ? statements.claimExisting : statements.claim;
  const mayReplace = replaces === 'any' ? null : replaces;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { rows } = await run(statement, [
      ...key,
      toSqlText(event),
      fingerprint,
      leaseMs,
      mayReplace,
      providerReference ?? null,
    ]);
    if (!rows[0] && mustExist) return { result: 'missing' };
    const claimed = rows[0] && readRow(rows[0], key, delivery);
    if (!claimed) continue;
    const adopts = claimed.result === 'done' && rows[0]?.['provider_reference'] === null;
    if (!adopts || providerReference === undefined) return claimed;
    const adopted = await run(statements.adopt, [...key, fingerprint, providerReference]);
    if (adopted.rowCount === 1) return claimed;
  }
  throw new PaymentsStorageError('The delivery could not be claimed: others change its entry all the time.');
}

export function keyValues({ account, environment, kind, reference }: InboxKey): readonly string[] {
  return [account, environment, kind, toSqlText(reference)];
}

/** Returns undefined if the entry has changed since the statement began. */
function readRow(row: ClaimRow, key: readonly string[], delivery: InboxDelivery): Claimed | undefined {
  const { fence } = row;
  if (fence != null) {
    const names = JSON.parse(row['finished'] ?? '[]') as readonly string[];
    const entry = {
      fence,
      values: [...key, fence],
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

function existingEntry(row: ClaimRow): InboxEntry {
  return {
    event: fromSqlText(row['event'] ?? ''),
    fingerprint: row['fingerprint'] ?? '',
    providerReference: row['provider_reference'] ?? undefined,
    state: row['state'] as InboxEntry['state'],
    leaseUntil: Number(row['lease_ms']),
  };
}
