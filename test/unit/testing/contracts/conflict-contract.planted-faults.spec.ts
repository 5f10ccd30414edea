import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { conflictContract } from 'nestjs-payments/testing';
import { type ConflictStore, type SetAsideDelivery } from '../../../../lib/storage/conflict-store.js';
import { type InboxScope } from '../../../../lib/common/vocabulary.js';
import { firstBytes, stillStorage, testFails, withFault } from '../../../support/planted-contract-faults.js';

const sandbox = <Scope extends InboxScope>(scope: Scope): Scope => ({ ...scope, environment: 'sandbox' });

/** Methods that find what another environment has. */
const FAULTS: readonly (readonly [
  method: string,
  fault: (conflicts: ConflictStore) => Partial<ConflictStore>,
  title: string,
])[] = [
  [
    'list',
    (conflicts) => ({ list: (scope, page) => conflicts.list(sandbox(scope), page) }),
    'keeps what was set aside as it came last, counts its repetitions and lists the oldest first',
  ],
  [
    'get',
    (conflicts) => ({ get: (scope, id) => conflicts.get(sandbox(scope), id) }),
    'finds one entry by its id, and no other that was set aside again',
  ],
  [
    'replacePayload',
    (conflicts) => ({
      replacePayload: (entry, payload) => conflicts.replacePayload(sandbox(entry), payload),
    }),
    'replaces the payload of an entry as it was read, and of no other',
  ],
  [
    'remove',
    (conflicts) => ({ remove: (scope, id) => conflicts.remove(sandbox(scope), id) }),
    'takes one entry off what was set aside, and only of its own account and environment',
  ],
  [
    'purge',
    (conflicts) => ({
      purge: async (scope, ...given) => {
        await conflicts.purge({ ...scope, environment: 'production' }, ...given);
        return conflicts.purge(scope, ...given);
      },
    }),
    'keeps unrecognized deliveries whole, and forgets old ones of that reason only if it is asked to',
  ],
  [
    'setAside',
    (conflicts) => ({ setAside: (delivery) => conflicts.setAside(sandbox(delivery)) }),
    'pages through what was set aside, also while entries go and come',
  ],
];

/** Deliveries that come while another one is stored are lost. */
const losesWhatComesMeanwhile =
  (keyOf: (delivery: SetAsideDelivery) => string) =>
  (conflicts: ConflictStore): Partial<ConflictStore> => {
    const storing = new Set<string>();
    return {
      setAside: async (delivery) => {
        const key = keyOf(delivery);
        if (storing.has(key)) return;
        storing.add(key);
        await nextTurn();
        await conflicts.setAside(delivery);
        storing.delete(key);
      },
    };
  };

const FAULTS_OF_TIME_AND_SIZE: typeof FAULTS = [
  [
    'counts one of many deliveries that come at the same time',
    losesWhatComesMeanwhile(({ fingerprint }) => fingerprint),
    'counts each of many deliveries of one event that come at the same time',
  ],
  [
    'keeps one of many events that come at the same time',
    losesWhatComesMeanwhile(() => ''),
    'keeps every one of many events that come at the same time',
  ],
  [
    'replaces a payload that it did not compare with the one it read',
    (conflicts) => ({
      replacePayload: async (entry, payload) => {
        await nextTurn();
        const now = await conflicts.get(entry, entry.id);
        return now !== undefined && conflicts.replacePayload(now, payload);
      },
    }),
    'keeps the payload of a new delivery if another one replaces that of the entry at the same time',
  ],
  [
    'gives the first page forever',
    (conflicts) => ({ list: (scope, { after: _ignored, ...page }) => conflicts.list(scope, page) }),
    'keeps every one of many events that come at the same time',
  ],
  [
    'cuts payloads',
    (conflicts) => ({
      setAside: (delivery) =>
        conflicts.setAside({ ...delivery, payload: firstBytes(delivery.payload, 65_535) }),
    }),
    'gives back an event of 64 KiB as it came',
  ],
  [
    'cuts fingerprints',
    (conflicts) => ({
      setAside: (delivery) =>
        conflicts.setAside({ ...delivery, fingerprint: delivery.fingerprint.slice(0, 63) }),
    }),
    'keeps events apart whose fingerprints differ only at the end, and gives back each reference as it came',
  ],
];

describe('the contract of conflicts', () => {
  it.each([
    ...FAULTS.map(
      ([method, ...rest]) => [`has a method ${method} that ignores the environment`, ...rest] as const,
    ),
    ...FAULTS_OF_TIME_AND_SIZE,
  ])('notices a store that %s', async (_what, fault, title) => {
    const fails = (planted: typeof fault): Promise<boolean> =>
      testFails(title, (framework) => {
        conflictContract(framework, () => {
          const storage = stillStorage();
          return { ...storage, conflicts: withFault(storage.conflicts, planted(storage.conflicts)) };
        });
      });
    expect(await fails(fault)).toBe(true);
    expect(await fails(() => ({}))).toBe(false);
  });
});
