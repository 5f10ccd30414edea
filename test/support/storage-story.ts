import { type InboxDelivery, type JournalRecord, type PaymentsStorage } from 'nestjs-payments';
import { type BatchStore } from './batch-contract.js';
import { allBut, journalRecord, storedBy } from './journal-contract.js';
import { type ReconciliationStore } from './reconciliation-contract.js';

/** A storage, and a transaction of the application that it can join, which ends as the work does. */
export interface StoryStorage extends PaymentsStorage {
  readonly transaction?: (work: (handle: unknown) => Promise<void>) => PromiseLike<unknown>;
}

/** What a storage answered, by what it was asked. */
export type Story = readonly (readonly [asked: string, answer: unknown])[];

type Scope = Pick<JournalRecord, 'account' | 'environment'>;
type Ask = (asked: string, answer: Promise<unknown>) => Promise<void>;

/** Texts that a driver, a collation or an encoding may change, or take for each other. */
const TEXTS = [`it's \\ "é" 😀 :n ?`, `IT'S \\ "É" 😀 :n ?`, `it's \\ "é" 😀 :n ? `, '0123', '\u0000\ud800'];
/** More cents than four bytes hold, or a number of single precision. */
const CENTS = 9_007_199_254_740_991;

/**
 * Asks a storage everything once, and gives all that it answered. What differs from run to run is left out, if it is what it
 * must be.
 *
 * @param account Of this story alone.
 */
export async function storyOf(storage: StoryStorage, account: string): Promise<Story> {
  const story: (readonly [string, unknown])[] = [];
  const ask: Ask = async (asked, answer) => {
    story.push([asked, withoutTimes(await answer, account)]);
  };
  const scope: Scope = { account, environment: 'sandbox' };
  await askJournal(storage, scope, ask);
  await askInbox(storage, scope, ask);
  await askConflicts(storage, scope, ask);
  if (storage.batches) await askBatches(storage.batches, scope, ask);
  if (storage.reconciliation) await askReconciliation(storage.reconciliation, scope, ask);
  await askPurges(storage, scope, ask);
  return story;
}

async function askJournal({ journal, transaction }: StoryStorage, scope: Scope, ask: Ask): Promise<void> {
  for (const reference of TEXTS) {
    const record = journalRecord(reference, { ...scope, body: JSON.stringify({ reference }) });
    const inserted = await journal.insert(record, 90_000);
    await ask('insert', Promise.resolve(inserted));
    await ask('insert again', journal.insert({ ...record, intent: 'another call' }, 90_000));
    const { version } = storedBy(inserted);
    const answered: JournalRecord = { ...record, state: 'accepted', answer: reference };
    await ask('replace', journal.replace(version, answered, 0));
    await ask('replace an old version', journal.replace(version, answered, 0));
  }
  const settled = journalRecord('settled', { ...scope, state: 'settled', outcome: 'success' });
  await journal.insert({ ...settled, settledBy: 'webhook' }, 0);
  const page = await journal.list(settled, ['settled'], { limit: 3 });
  await ask('list', Promise.resolve(page));
  await ask('next page', journal.list(settled, [], { limit: 9, after: page.next ?? '' }));
  await ask('list of the others', journal.list(settled, allBut('settled'), { limit: 9 }));
  await ask('list from', journal.list(settled, [], { limit: 9, from: Date.now() + 60_000 }));
  const share = { cents: CENTS, maxCents: CENTS, maxCount: 9 };
  const counted = (reference: string): JournalRecord =>
    journalRecord(reference, { ...scope, family: 'disbursement' });
  await ask('counted', Promise.resolve(journal.dailyCaps?.insert(counted('cap-1'), 0, share)));
  await ask('no room', Promise.resolve(journal.dailyCaps?.insert(counted('cap-2'), 0, share)));
  const planned = journalRecord('planned', { ...scope, state: 'planned' });
  await transaction?.(async (handle) => {
    const joined = await journal.within?.(handle);
    await ask('planned', Promise.resolve(joined?.insert(planned, 0)));
    await ask('replaced by none', Promise.resolve(joined?.replace(0, planned, 0)));
  });
  await ask('planned and committed', journal.get(planned));
}

async function askInbox({ inbox, journal }: StoryStorage, scope: Scope, ask: Ask): Promise<void> {
  for (const reference of TEXTS.slice(0, 2)) {
    const delivery: InboxDelivery = {
      key: { ...scope, kind: 'outcome', reference },
      event: 'payment.success',
      fingerprint: 'f'.repeat(64),
      providerReference: 'e'.repeat(64),
      replaces: [],
    };
    const failed = await inbox.claim(delivery, 60_000);
    if (failed.result !== 'claimed') throw new Error(`The inbox answered ${failed.result}.`);
    await ask('busy', inbox.claim(delivery, 60_000));
    await ask('mark', failed.claim.mark(reference));
    await failed.claim.fail();
    const claimed = await inbox.claim(delivery, 60_000);
    if (claimed.result !== 'claimed') throw new Error(`The inbox answered ${claimed.result}.`);
    const { claim } = claimed;
    await ask('claimed', Promise.resolve([claim.attempt, claim.finished]));
    // In the transaction of the claim, if it has one.
    const own = claim.journal ?? journal;
    const settled = await own.get(journalRecord('settled', scope));
    await ask('read with the claim', Promise.resolve(settled));
    await ask(
      'replaced with the claim',
      Promise.resolve(settled && own.replace(settled.version, { ...settled.record, answer: reference }, 0)),
    );
    await ask('finish', claim.finish());
    await ask('done', inbox.claim(delivery, 60_000));
    await ask('another event', inbox.claim({ ...delivery, fingerprint: '0'.repeat(64) }, 60_000));
  }
}

async function askConflicts({ conflicts }: StoryStorage, scope: Scope, ask: Ask): Promise<void> {
  for (const [at, reference] of TEXTS.entries()) {
    const fingerprint = String(at).repeat(64);
    const entry = { ...scope, kind: 'conflict', event: reference, reference, fingerprint } as const;
    await conflicts.setAside({ ...entry, payload: '{}' });
    await conflicts.setAside({ ...entry, payload: reference });
  }
  const entries = await conflicts.list(scope, { limit: 9 });
  await ask('set aside', Promise.resolve(entries));
  await ask('after the second', conflicts.list(scope, { limit: 2, after: entries[1]?.id ?? '' }));
  await ask('the first', conflicts.get(scope, entries[0]?.id ?? ''));
  await conflicts.remove(scope, entries[0]?.id ?? '');
  await ask('without the first', conflicts.list(scope, { limit: 9 }));
}

async function askBatches(batches: BatchStore, scope: Scope, ask: Ask): Promise<void> {
  const [name = ''] = TEXTS;
  const load = Buffer.from(scope.account).toString('hex').padStart(32, '0');
  const batch = { ...scope, batch: name, load, state: 'loading', details: JSON.stringify(TEXTS) } as const;
  const lines = TEXTS.map((text, at) => ({
    number: at + 1,
    key: at % 2 === 0 ? `key-${at}` : `KEY-${at - 1}`,
    cents: at < 2 ? CENTS : at + 1,
    recipient: `${scope.account}-${at % 2}`,
    content: JSON.stringify({ text }),
  }));
  const event = { action: 'created', by: name, details: '{}' };
  const created = await batches.create(batch, event);
  await ask('batch', Promise.resolve(created));
  await ask('chunk', batches.addChunk(load, { chunk: 1, digest: 'd'.repeat(64) }, lines));
  await ask('keys that exist', batches.addChunk(load, { chunk: 2, digest: 'c'.repeat(64) }, lines));
  const changes = lines.map(({ number, content }) => ({
    number,
    from: ['waiting', 'sending'] as const,
    to: 'accepted' as const,
    ...(number > 1 && { result: content }),
  }));
  await ask('changed', batches.change(load, changes));
  await ask('counts', batches.counts(load));
  await ask('lines', batches.lines(load, { after: 1, limit: 3, states: ['accepted', 'paid'] }));
  await ask('line', batches.line(load, 'KEY-0'));
  const asked = lines.map(({ number, cents, recipient }) => ({ number, cents, recipients: [recipient] }));
  await ask('recipients of before', batches.sameRecipients(load, asked.slice(0, 4), 60_000, 5));
  await ask('events', batches.events(batch, { after: 0, limit: 9 }));
  await ask('chunks', batches.chunksIn(load, ['accepted'], { after: 0, limit: 9 }));
  await ask('ended', batches.replace(created.stored.version, { ...batch, state: 'ended' }, event));
  await ask('batches', batches.list(scope, { limit: 9 }));
  await batches.removeLoad(load);
  await ask('removed lines', batches.lines(load, { after: 0, limit: 9 }));
}

async function askReconciliation(store: ReconciliationStore, scope: Scope, ask: Ask): Promise<void> {
  const entries = ['2026-10-01', 'a', 'A', 'a '].map((id) => ({
    ...scope,
    kind: 'close' as const,
    id,
    state: 'open',
    details: JSON.stringify(TEXTS),
  }));
  await store.add(entries);
  await ask('closes', store.list(scope, 'close', { limit: 9, states: ['open'] }));
  await ask('last close', store.last(scope, 'close', 'a', ['open']));
  const stored = await store.get(scope, 'close', 'a');
  await ask('close', Promise.resolve(stored));
  await ask(
    'ended close',
    Promise.resolve(stored && store.replace(stored.version, { ...stored.entry, state: 'done' })),
  );
}

async function askPurges(storage: StoryStorage, scope: Scope, ask: Ask): Promise<void> {
  const { journal, inbox, conflicts, reconciliation } = storage;
  const settled = journalRecord('settled', scope);
  // What is older than that is to be written later: everything.
  const olderThanMs = -60_000;
  await ask('settled', journal.purge(scope, 'settled', olderThanMs));
  await ask('tombstone', journal.insert(settled, 0));
  await ask('tombstones', journal.purge(scope, 'tombstones', olderThanMs));
  await ask('outcomes', inbox.purge(scope, olderThanMs));
  await ask('conflicts', conflicts.purge(scope, 'conflict', olderThanMs));
  await ask('reconciliation', Promise.resolve(reconciliation?.purge(scope, 'close', ['open'], olderThanMs)));
  const { accounts } = await journal.accounts({ limit: 1_000 });
  await ask('accounts', Promise.resolve(accounts.filter(({ account }) => account === scope.account)));
}

const DAY_MS = 86_400_000;

/** Whether a value is one of those that differ from run to run, as it should be. */
const EXPECTED: Readonly<Record<string, (value: unknown, account: string) => boolean>> = {
  account: (value, account) => value === account,
  load: (value, account) => value === Buffer.from(account).toString('hex').padStart(32, '0'),
  recipient: (value, account) => String(value).startsWith(`${account}-`),
  createdAt: isNow,
  updatedAt: isNow,
  firstSeenAt: isNow,
  at: isNow,
  now: isNow,
  ageMs: isShort,
  idleMs: isShort,
  leaseLeftMs: (value) => isShort(value) && value !== 0,
  version: (value) => Number.isSafeInteger(value),
  countedOn: isToday,
  reachedOn: isToday,
  next: (value) => /^\d+(?:\.\d+)?$/.test(String(value)),
  id: (value) => /^\d+(?:\.|$)/.test(String(value)),
};

function isNow(value: unknown): boolean {
  return Number.isSafeInteger(value) && Math.abs(Number(value) - Date.now()) < 60_000;
}

function isShort(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= 90_000;
}

function isToday(value: unknown): boolean {
  return Number.isSafeInteger(value) && Math.abs(Number(value) - Date.now() / DAY_MS) < 2;
}

function withoutTimes(answer: unknown, account: string): unknown {
  if (Array.isArray(answer)) return answer.map((each) => withoutTimes(each, account));
  if (typeof answer !== 'object' || answer === null) return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [
      name,
      EXPECTED[name]?.(value, account) ? `the ${name}` : withoutTimes(value, account),
    ]),
  );
}
