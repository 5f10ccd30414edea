import { describe, expect, it } from 'vitest';
import { conflictContract } from 'nestjs-payments/testing';
import { type ConflictStore } from '../../../../lib/storage/conflict-store.js';
import { type InboxScope } from '../../../../lib/common/vocabulary.js';
import { stillStorage, testFails, withFault } from '../../../support/planted-contract-faults.js';

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

describe('the contract of conflicts', () => {
  it.each(FAULTS)('notices a method %s that ignores the environment', async (_method, fault, title) => {
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
