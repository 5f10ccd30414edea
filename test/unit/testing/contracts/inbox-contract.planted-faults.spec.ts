import { describe, expect, it } from 'vitest';
import { inboxContract } from 'nestjs-payments/testing';
import {
  type ClaimResult,
  type InboxClaim,
  type InboxDelivery,
  type InboxStore,
} from '../../../../lib/storage/inbox-store.js';
import { stillStorage, testFails, withFault } from '../../../support/planted-contract-faults.js';

type Storage = ReturnType<typeof stillStorage>;
type Faulty = (storage: Storage) => Partial<InboxStore>;

/** Every claim that reads a free entry, before the first of them writes, takes it. */
const takesWithoutFence: Faulty = ({ inbox }) => {
  const known = new Set<string>();
  let claiming: Promise<ClaimResult> | undefined;
  return {
    claim: (delivery, leaseMs) => {
      const { reference } = delivery.key;
      if (!known.has(reference)) {
        known.add(reference);
        return inbox.claim(delivery, leaseMs);
      }
      claiming ??= inbox.claim(delivery, leaseMs).finally(() => {
        claiming = undefined;
      });
      return claiming;
    },
  };
};

const forgetsExpiredClaims: Faulty = ({ inbox, now }) => {
  const claims: { readonly claim: InboxClaim; readonly until: number }[] = [];
  return {
    claim: async (delivery, leaseMs) => {
      const result = await inbox.claim(delivery, leaseMs);
      if (result.result === 'claimed') claims.push({ claim: result.claim, until: now() + leaseMs });
      return result;
    },
    purge: async (...given) => {
      for (const { claim, until } of claims) if (until < now()) await claim.withdraw();
      return inbox.purge(...given);
    },
  };
};

const purgesEveryEnvironment: Faulty = ({ inbox }) => ({
  purge: async (scope, olderThanMs) => {
    await inbox.purge({ ...scope, environment: 'production' }, olderThanMs);
    return inbox.purge(scope, olderThanMs);
  },
});

const claimsOf =
  (change: (delivery: InboxDelivery) => InboxDelivery): Faulty =>
  ({ inbox }) => ({ claim: (delivery, leaseMs) => inbox.claim(change(delivery), leaseMs) });

const foldsReferences = (fold: (reference: string) => string): Faulty =>
  claimsOf((delivery) => ({
    ...delivery,
    key: { ...delivery.key, reference: fold(delivery.key.reference) },
  }));

/** Says that it has transactions, and writes at once. */
const commitsAtOnce: Faulty = ({ inbox, journal }) => ({
  claim: async (...given) => {
    const result = await inbox.claim(...given);
    if (result.result !== 'claimed') return result;
    return { ...result, claim: { ...result.claim, transaction: {}, journal } };
  },
});

async function fails(title: string, fault: Faulty, remembersHandlers: boolean): Promise<boolean> {
  return testFails(title, (framework) => {
    inboxContract(
      framework,
      () => {
        const storage = stillStorage();
        return { ...storage, inbox: withFault(storage.inbox, fault(storage)) };
      },
      { remembersHandlers },
    );
  });
}

const ALIKE = 'keeps references apart that are only alike, also those that come at the same time';

describe('the contract of inboxes', () => {
  it.each([
    ['failed', takesWithoutFence, 'lets one of many take over a claim at the same time after it failed'],
    [
      'outlived its lease',
      takesWithoutFence,
      'lets one of many take over a claim at the same time after its lease ran out',
    ],
    [
      'finished',
      takesWithoutFence,
      'lets one of many take over a claim at the same time after it finished, to replace its outcome',
    ],
  ])('notices that two take over a claim that %s', async (_end, fault, title) => {
    expect(await fails(title, fault, true)).toBe(true);
    expect(await fails(title, () => ({}), true)).toBe(false);
  });

  it.each<readonly [string, Faulty, string]>([
    ['without case', foldsReferences((reference) => reference.toLowerCase()), ALIKE],
    ['without white space at the end', foldsReferences((reference) => reference.trimEnd()), ALIKE],
    ['without accents', foldsReferences((text) => text.normalize('NFD').replace(/\p{M}/gu, '')), ALIKE],
    ['cut', foldsReferences((reference) => reference.slice(0, 254)), ALIKE],
    [
      'with cut fingerprints',
      claimsOf((delivery) => ({ ...delivery, fingerprint: delivery.fingerprint.slice(0, 63) })),
      'tells outcomes apart whose fingerprints differ only at the end',
    ],
  ])('notices outcomes that are compared %s', async (_how, fault, title) => {
    expect(await fails(title, fault, true)).toBe(true);
    expect(await fails(title, () => ({}), true)).toBe(false);
  });

  it.each([
    [
      'forgets claims whose lease ran out',
      forgetsExpiredClaims,
      'purges no claim whose lease ran out: its handlers must run again',
    ],
    [
      'forgets what is finished in another environment',
      purgesEveryEnvironment,
      'purges finished entries of one account that are old enough, and nothing unfinished',
    ],
  ])('notices a purge that %s', async (_what, fault, title) => {
    expect(await fails(title, fault, true)).toBe(true);
    expect(await fails(title, () => ({}), true)).toBe(false);
  });

  it.each([
    'shows nobody else what is written through the journal of a claim before it finishes',
    'undoes what was written through the journal of a claim, after fail',
    'undoes what was written through the journal of a claim, after withdraw',
    'undoes a change of a payment that was made through the journal of a claim, after fail',
    'undoes a change of a payment that was made through the journal of a claim, after withdraw',
  ])('%s: it notices a journal that commits at once', async (title) => {
    expect(await fails(title, commitsAtOnce, false)).toBe(true);
  });

  it('notices a claim without a transaction, in a storage that remembers no handlers', async () => {
    const title = 'gives the handlers the open transaction, and the package the journal inside of it';
    expect(await fails(title, () => ({}), false)).toBe(true);
  });
});
