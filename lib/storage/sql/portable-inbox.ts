import { type InboxDelivery } from '../inbox-store.js';
import { portableAccounts } from './portable-accounts.js';
import { newFence, type PortableDialect, TABLES } from './portable-dialect.js';
import { type HeldKey, type SqlRow, type SqlScript, type SqlStep } from './sql-database.js';
import { type InboxStatements } from './sql-statements.js';
import { listOf, raw, sql, type SqlPiece } from './sql-template.js';
import { inboxKeyValues, toSqlText } from './sql-text.js';

const INBOX = raw(TABLES.inbox);
const KEY = ['account', 'environment', 'kind', 'reference'] as const;

/** The operations of the inbox without RETURNING: a fence that only this claim knows shows who won. */
export function portableInbox(dialect: PortableDialect): InboxStatements {
  const { now } = dialect;
  const one = (...steps: readonly SqlStep[]): SqlScript => ({ steps });
  return {
    claim: (delivery, leaseMs) => claimScript(dialect, delivery, leaseMs),
    isDone: ({ key, fingerprint, providerReference }) => {
      const adds =
        providerReference === undefined ? raw('1 = 1') : sql`provider_reference = ${providerReference}`;
      return one(sql`SELECT state FROM ${INBOX}
        WHERE ${keyIs(inboxKeyValues(key))} AND state = 'done' AND fingerprint = ${fingerprint} AND ${adds}`);
    },
    adopt: ({ key, fingerprint, providerReference }) =>
      one(sql`UPDATE ${INBOX} SET provider_reference = ${providerReference}
        WHERE ${keyIs(inboxKeyValues(key))} AND fingerprint = ${fingerprint} AND provider_reference IS NULL`),
    finish: (held) =>
      one(
        // MySQL assigns from left to right, so `changed_at` comes before the state that it looks at.
        sql`UPDATE ${INBOX} SET changed_at = CASE WHEN state = 'done' THEN changed_at ELSE ${now} END, state = 'done'
          WHERE ${claimIs(held)} AND state IN ('running', 'done')`,
        // Some drivers count the rows that an UPDATE has changed, and a repeated one changes none.
        (results) =>
          results[0]?.rowCount === 1
            ? undefined
            : sql`SELECT state FROM ${INBOX} WHERE ${claimIs(held)} AND state = 'done'`,
      ),
    fail: (held) =>
      one(
        sql`UPDATE ${INBOX} SET state = 'open', changed_at = ${now} WHERE ${claimIs(held)} AND state = 'running'`,
      ),
    withdraw: (held) => one(sql`DELETE FROM ${INBOX} WHERE ${claimIs(held)} AND state = 'running'`),
    state: (held) => one(sql`SELECT state FROM ${INBOX} WHERE ${claimIs(held)}`),
    mark: (held, handler) => {
      const name = JSON.stringify(toSqlText(handler));
      return one(sql`UPDATE ${INBOX}
        SET finished = CASE WHEN finished = '[' THEN CONCAT('[', ${name}) ELSE CONCAT(finished, ',', ${name}) END
        WHERE ${claimIs(held)} AND state = 'running'`);
    },
    runs: (key) =>
      one(sql`SELECT state FROM ${INBOX}
        WHERE ${keyIs(inboxKeyValues(key))} AND state = 'running' AND lease_until > ${now}`),
    purge: ({ account, environment }, olderThanMs) =>
      dialect.deleteFirst(
        TABLES.inbox,
        KEY,
        sql`account = ${account} AND environment = ${environment} AND state = 'done' AND changed_at < ${now} - ${olderThanMs}`,
        'changed_at',
      ),
    accounts: portableAccounts([TABLES.inbox]),
  };
}

/**
 * Reads first: a delivery that is handled elsewhere writes nothing, and waits for no lock. Then inserts the entry or
 * takes it over, if nobody else did meanwhile, and reads what is there now.
 */
function claimScript(dialect: PortableDialect, delivery: InboxDelivery, leaseMs: number): SqlScript {
  const fence = newFence();
  const read = sql`SELECT CASE WHEN fence = ${fence} THEN fence END AS fence, attempt, CONCAT(finished, ']') AS finished,
      event, fingerprint, provider_reference, state, ${dialect.now} AS now_ms, lease_until AS lease_ms
    FROM ${INBOX} WHERE ${keyIs(inboxKeyValues(delivery.key))}`;
  return {
    steps: [
      read,
      ([found]) => {
        const existing = found?.rows[0];
        if (existing) return isHeld(existing) ? undefined : takeOver(dialect, delivery, leaseMs, fence);
        return delivery.mustExist ? undefined : insert(dialect, delivery, leaseMs, fence);
      },
      read,
    ],
  };
}

function isHeld(entry: SqlRow): boolean {
  return entry['state'] === 'running' && Number(entry['lease_ms']) > Number(entry['now_ms']);
}

function insert(
  { now, keepExisting }: PortableDialect,
  { key, event, fingerprint, providerReference }: InboxDelivery,
  leaseMs: number,
  fence: string,
): SqlPiece {
  return sql`INSERT INTO ${INBOX} (account, environment, kind, reference, event, fingerprint, provider_reference, state,
      fence, attempt, finished, changed_at, lease_until)
    VALUES (${listOf(inboxKeyValues(key))}, ${toSqlText(event)}, ${fingerprint}, ${providerReference ?? null}, 'running',
      ${fence}, 1, '[', ${now}, ${now} + ${leaseMs})
    ${keepExisting(TABLES.inbox, KEY)}`;
}

/** The same condition as in `decideClaim`, which decides about what this leaves as it is. */
function takeOver(
  { now }: PortableDialect,
  { key, event, fingerprint, providerReference, replaces }: InboxDelivery,
  leaseMs: number,
  fence: string,
): SqlPiece {
  const provider = providerReference ?? null;
  const same =
    providerReference === undefined
      ? sql`fingerprint = ${fingerprint}`
      : sql`fingerprint = ${fingerprint} AND (provider_reference IS NULL OR provider_reference = ${providerReference})`;
  // MySQL assigns from left to right: what is compared is assigned last.
  return sql`UPDATE ${INBOX} SET
      attempt = CASE WHEN ${same} THEN attempt + 1 ELSE 1 END,
      finished = CASE WHEN ${same} THEN finished ELSE '[' END,
      provider_reference = CASE WHEN ${same} THEN COALESCE(${provider}, provider_reference) ELSE ${provider} END,
      fingerprint = ${fingerprint}, event = ${toSqlText(event)}, state = 'running', fence = ${fence}, changed_at = ${now},
      lease_until = ${now} + ${leaseMs}
    WHERE ${keyIs(inboxKeyValues(key))} AND (state <> 'running' OR lease_until <= ${now})
      AND CASE WHEN ${same} THEN state <> 'done' ELSE ${mayReplace(replaces)} END`;
}

function mayReplace(replaces: InboxDelivery['replaces']): SqlPiece {
  if (replaces === 'any') return raw('1 = 1');
  return replaces.length === 0 ? raw('1 = 0') : sql`fingerprint IN (${listOf(replaces)})`;
}

function claimIs({ values, fence }: HeldKey): SqlPiece {
  return sql`${keyIs(values)} AND fence = ${fence}`;
}

function keyIs([account, environment, kind, reference]: readonly string[]): SqlPiece {
  return sql`account = ${account} AND environment = ${environment} AND kind = ${kind} AND reference = ${reference}`;
}

/** The statement that finishes an entry in the transaction of its handlers. It affects no row if the claim is over. */
export function finishHeld({ now }: PortableDialect, held: HeldKey): SqlPiece {
  return sql`UPDATE ${INBOX} SET state = 'done', changed_at = ${now} WHERE ${claimIs(held)} AND state = 'running'`;
}
