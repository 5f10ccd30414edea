import { type InboxClaim } from '../../storage/inbox-store.js';
import { type JournalStore, type StoredJournalRecord } from '../../storage/journal-store.js';
import { type Cases, eachCase } from './contract-framework.js';
import { claimed, inboxDelivery, type InboxTest } from './inbox-test.js';
import { journalRecord, storedBy } from './journal-test.js';

const PLANNED = journalRecord('order-9', { state: 'planned' });
const DELIVERY = inboxDelivery('order-1');

/** For stores that commit the record of a delivery together with what its handlers write. */
export const CLAIMS_IN_TRANSACTIONS: Cases<InboxTest> = {
  'gives the handlers the open transaction, and the package the journal inside of it': async ({
    expect,
    claim,
  }) => {
    const { transaction, journal } = claimed(await claim(DELIVERY));
    expect(transaction).toBeDefined();
    expect(journal).toBeDefined();
  },

  'commits what is written through the journal of a claim when the claim finishes': async ({
    expect,
    claim,
    journal,
  }) => {
    const first = claimed(await claim(DELIVERY));
    await journalOf(first).insert(PLANNED, 0);
    expect((await journalOf(first).get(PLANNED))?.record).toEqual(PLANNED);
    await first.finish();
    // Not while the next claim is open: a database with one connection would wait for its end.
    if (journal) expect((await journal.get(PLANNED))?.record).toEqual(PLANNED);
    const second = claimed(await claim(inboxDelivery('order-2')));
    expect((await journalOf(second).get(PLANNED))?.record).toEqual(PLANNED);
  },

  'shows nobody else what is written through the journal of a claim before it finishes': async ({
    expect,
    claim,
    journal,
  }) => {
    const running = claimed(await claim(DELIVERY));
    await journalOf(running).insert(PLANNED, 0);
    const seen: (StoredJournalRecord | undefined)[] = [];
    // Not awaited: a database may let it wait for the end of the transaction.
    const reading = journal?.get(PLANNED).then((found) => seen.push(found));
    for (let asked = 0; asked < 5; asked += 1) await claim(DELIVERY);
    expect(seen.filter((found) => found !== undefined)).toEqual([]);
    await running.finish();
    await reading;
  },

  ...eachCase(['fail', 'withdraw'] as const, (end) => [
    `undoes what was written through the journal of a claim, after ${end}`,
    async ({ expect, claim, journal }: InboxTest) => {
      const first = claimed(await claim(DELIVERY));
      await journalOf(first).insert(PLANNED, 0);
      await first[end]();
      if (journal) expect(await journal.get(PLANNED)).toBeUndefined();
      const second = claimed(await claim(DELIVERY));
      expect(await journalOf(second).get(PLANNED)).toBeUndefined();
    },
  ]),

  ...eachCase(['fail', 'withdraw'] as const, (end) => [
    `undoes a change of a payment that was made through the journal of a claim, after ${end}`,
    async ({ expect, claim }: InboxTest) => {
      const first = claimed(await claim(DELIVERY));
      const { version } = storedBy(await journalOf(first).insert(PLANNED, 0));
      await first.finish();
      const second = claimed(await claim(inboxDelivery('order-2')));
      const changed = { ...PLANNED, state: 'unknown' } as const;
      expect((await journalOf(second).replace(version, changed, 0))?.record).toEqual(changed);
      await second[end]();
      const third = claimed(await claim(inboxDelivery('order-2')));
      expect(await journalOf(third).get(PLANNED)).toMatchObject({ version, record: PLANNED });
    },
  ]),
};

function journalOf({ journal }: InboxClaim): JournalStore {
  if (!journal) throw new Error('The claim has a transaction, and no journal inside of it.');
  return journal;
}
