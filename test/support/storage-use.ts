import pg, { type CustomTypesConfig } from 'pg';
import { type PaymentsStorage } from 'nestjs-payments';
import { claimed, inboxDelivery } from './inbox-contract.js';
import { allBut, journalRecord, storedBy } from './journal-contract.js';

const SCOPE = { account: 'default', environment: 'sandbox' } as const;
const COLLECTIONS = { ...SCOPE, family: 'collection' } as const;
const LEASE_MS = 90_000;
const NOW_MS = 60_000;
const NAMES = 'Zawadi "Ü" \\ \u{1f980} \u0000';
const EVENT = { action: 'create', by: 'maker', details: '{"a":"\u0000"}' };

/** `name`, `text`, `unknown` and `varchar`. */
const TEXTS = [19, 25, 705, 1043];
/** Type parsers of an application that make something of its own of every type but texts. */
export const PARSED_TYPES = {
  getTypeParser: (oid: never, format: never) =>
    TEXTS.includes(oid)
      ? (pg.types.getTypeParser(oid, format) as (value: string) => unknown)
      : (value: unknown) => ({ oid: oid as number, value }),
} as CustomTypesConfig;

const isNow = (time: number): boolean => Number.isSafeInteger(time) && Math.abs(time - Date.now()) < NOW_MS;
const isShort = (ms: number): boolean => Number.isSafeInteger(ms) && ms >= 0 && ms < NOW_MS;
const isLease = (ms: number): boolean => ms === 0 || isShort(LEASE_MS - ms);
/** What differs from one run to the next. */
const DIFFERS: Readonly<Record<string, (value: never) => unknown>> = {
  version: Number.isSafeInteger,
  id: (id: string) => typeof id,
  next: (cursor: string) => typeof cursor,
  ...{ createdAt: isNow, updatedAt: isNow, firstSeenAt: isNow, at: isNow, now: isNow },
  ...{ ageMs: isShort, idleMs: isShort, leaseLeftMs: isLease },
  countedOn: Number.isSafeInteger,
};

/**
 * Uses every part of a storage once, and gives all that it answered: the same on each storage of one kind, however its
 * application has customised the driver.
 *
 * @param inTransaction Runs work in a transaction of the application.
 */
export async function useOfStorage(
  storage: PaymentsStorage,
  inTransaction?: (work: (handle: unknown) => Promise<void>) => PromiseLike<unknown>,
): Promise<unknown> {
  const found = {
    journal: await useOfJournal(storage),
    caps: await useOfCaps(storage),
    inbox: await useOfInbox(storage),
    conflicts: await useOfConflicts(storage),
    batches: await useOfBatches(storage),
    reconciliation: await useOfReconciliation(storage),
    joined: inTransaction && (await useOfTransaction(storage, inTransaction)),
    purged: await purgeOf(storage),
  };
  return JSON.parse(
    JSON.stringify(found, (key, value: unknown) => {
      if (typeof value === 'bigint') return `${value}n`;
      return Object.hasOwn(DIFFERS, key) ? DIFFERS[key]?.(value as never) : value;
    }),
  );
}

async function useOfJournal({ journal }: PaymentsStorage): Promise<unknown[]> {
  const record = journalRecord('order-1', { body: `{"name":${JSON.stringify(NAMES)}}` });
  const first = await journal.insert(record, LEASE_MS);
  const { version } = storedBy(first);
  const settled = { ...record, state: 'settled', outcome: 'success', settledBy: 'webhook' } as const;
  return [
    first,
    await journal.insert(record, LEASE_MS),
    await journal.insert(journalRecord('order-10'), 0),
    await journal.insert(journalRecord('order-9', { state: 'unknown' }), 0),
    await journal.replace(version, settled, 0),
    await journal.replace(version, record, 0),
    await journal.get(record),
    (await journal.get(journalRecord('order-2'))) ?? 'none',
    await journal.list(COLLECTIONS, [], { limit: 2 }),
    await journal.list(COLLECTIONS, allBut('unknown'), { limit: 2 }),
    await journal.accounts({ limit: 10 }),
  ];
}

async function useOfCaps({ journal: { dailyCaps } }: PaymentsStorage): Promise<unknown[]> {
  const share = { cents: 9_007_199_254_740_991, maxCents: 9_007_199_254_740_991 };
  return [
    await dailyCaps?.insert(journalRecord('counted'), LEASE_MS, share),
    // Not the day, which may end meanwhile.
    Object.keys((await dailyCaps?.insert(journalRecord('too much'), LEASE_MS, { ...share, cents: 1 })) ?? {}),
  ];
}

async function useOfInbox({ inbox, journal }: PaymentsStorage): Promise<unknown[]> {
  const delivery = inboxDelivery(`order-1 ${NAMES}`, { providerReference: 'S1' });
  const claim = claimed(await inbox.claim(delivery, LEASE_MS));
  // Within the transaction of the claim, if it has one.
  const own = claim.journal ?? journal;
  const paid = journalRecord('order-9', { state: 'settled', outcome: 'success', settledBy: 'webhook' });
  const before = await own.get(paid);
  const found = [
    claim.attempt,
    before,
    before && (await own.replace(before.version, paid, 0)),
    claim.transaction ? 'marks nothing' : await claim.mark('Orders.paid'),
    await inbox.claim(delivery, LEASE_MS),
  ];
  await claim.fail();
  const again = claimed(await inbox.claim(delivery, LEASE_MS));
  return [
    ...found,
    again.attempt,
    again.finished,
    await again.finish(),
    await inbox.claim(delivery, LEASE_MS),
    await inbox.claim({ ...delivery, fingerprint: 'f2', event: 'payment.failed' }, LEASE_MS),
  ];
}

async function useOfConflicts({ conflicts }: PaymentsStorage): Promise<unknown[]> {
  const event = { ...SCOPE, kind: 'conflict', event: 'payment.failed', reference: 'order-1' } as const;
  const aside = { ...event, fingerprint: 'f2', payload: JSON.stringify({ name: NAMES }) };
  await conflicts.setAside(aside);
  await conflicts.setAside(aside);
  const listed = await conflicts.list(SCOPE, { limit: 10 });
  const id = listed[0]?.id ?? '';
  const got = await conflicts.get(SCOPE, id);
  await conflicts.remove(SCOPE, id);
  return [listed, got, await conflicts.list(SCOPE, { limit: 10 })];
}

async function useOfBatches({ batches }: PaymentsStorage): Promise<unknown[]> {
  if (!batches) return [];
  const record = { ...SCOPE, batch: 'march', state: 'loading', load: 'load-1', details: '{}' } as const;
  const lines = [9, 10].map((number) => ({
    ...{ number, key: `S-${number}`, cents: 9_007_199_254_740_991, recipient: 'r', content: NAMES },
  }));
  const { stored } = await batches.create(record, EVENT);
  const found = [
    stored,
    await batches.addChunk('load-1', { chunk: 1, digest: 'd' }, lines),
    await batches.addChunk('load-1', { chunk: 2, digest: 'd' }, lines),
    await batches.change('load-1', [
      { number: 9, from: ['waiting', 'sending'], to: 'paid', result: '{"answer":"NULL"}' },
      { number: 10, from: ['waiting'], to: 'sending' },
    ]),
    await batches.lines('load-1', { after: 0, limit: 10 }),
    await batches.counts('load-1'),
    await batches.chunksIn('load-1', ['paid'], { after: 0, limit: 10 }),
    await batches.replace(stored.version, { ...record, state: 'ended' }, EVENT),
    await batches.list(SCOPE, { limit: 10 }),
    await batches.events(record, { after: 0, limit: 10 }),
  ];
  await batches.removeLoad('load-1');
  return [...found, await batches.lines('load-1', { after: 0, limit: 10 })];
}

async function useOfReconciliation({ reconciliation }: PaymentsStorage): Promise<unknown[]> {
  if (!reconciliation) return [];
  const entries = ['10', '9'].map(
    (id) => ({ ...SCOPE, kind: 'close', id, state: 'open', details: NAMES }) as const,
  );
  await reconciliation.add(entries);
  const stored = await reconciliation.get(SCOPE, 'close', '9');
  return [
    stored,
    stored && (await reconciliation.replace(stored.version, { ...stored.entry, state: 'done' })),
    await reconciliation.list(SCOPE, 'close', { limit: 10 }),
    await reconciliation.last(SCOPE, 'close', '99', ['open', 'done']),
    await reconciliation.purge(SCOPE, 'close', ['open'], 0),
  ];
}

async function useOfTransaction(
  { journal }: PaymentsStorage,
  inTransaction: (work: (handle: unknown) => Promise<void>) => PromiseLike<unknown>,
): Promise<unknown[]> {
  const found: unknown[] = [];
  await inTransaction(async (handle) => {
    const joined = await journal.within?.(handle);
    found.push(
      await joined?.insert(journalRecord('joined', { state: 'planned' }), 0),
      (await joined?.replace(0, journalRecord('joined'), 0)) ?? 'another version',
    );
  });
  return [...found, await journal.get(journalRecord('joined'))];
}

async function purgeOf({ journal, inbox }: PaymentsStorage): Promise<unknown[]> {
  return [
    await journal.purge(SCOPE, 'settled', 0),
    await journal.tombstone(journalRecord('order-1')),
    await inbox.purge(SCOPE, 0),
  ];
}
