import { describe, expect, it } from 'vitest';
import { inspect } from 'node:util';
import { type SetAsideKind } from '../../../../lib/common/vocabulary.js';
import { PaymentsConfigError } from '../../../../lib/errors/payments-errors.js';
import { type SetAsideDelivery } from '../../../../lib/storage/conflict-store.js';
import { isInProcess, memoryStorage } from '../../../../lib/storage/memory/memory-storage.js';
import { claimed, inboxDelivery, inboxKey } from '../../../support/inbox-contract.js';
import { storageContracts } from '../../../support/storage-contracts.js';

const LEASE_MS = 60_000;

function conflictOf(fingerprint: string): SetAsideDelivery {
  return { ...inboxKey(''), kind: 'conflict', event: 'e', reference: 'r', fingerprint, payload: '{}' };
}

describe('memoryStorage()', () => {
  const open = () => {
    let now = 1_800_000_000_000;
    return { ...memoryStorage({ now: () => now }), pass: (ms: number): void => void (now += ms) };
  };
  storageContracts(open);

  it('forgets the oldest finished outcome when it is full', async () => {
    const { inbox } = memoryStorage({ maxEntries: 2 });
    for (const reference of ['one', 'two', 'three']) {
      await claimed(await inbox.claim(inboxDelivery(reference), LEASE_MS)).finish();
    }
    expect((await inbox.claim(inboxDelivery('three'), LEASE_MS)).result).toBe('done');
    expect((await inbox.claim(inboxDelivery('one'), LEASE_MS)).result).toBe('claimed');
  });

  it('forgets an outcome that took long to finish after those that had finished before', async () => {
    const { inbox } = memoryStorage({ maxEntries: 3 });
    const finish = async (...references: readonly string[]): Promise<void> => {
      for (const reference of references) {
        await claimed(await inbox.claim(inboxDelivery(reference), LEASE_MS)).finish();
      }
    };
    const slow = claimed(await inbox.claim(inboxDelivery('slow'), LEASE_MS));
    const failed = claimed(await inbox.claim(inboxDelivery('failed'), LEASE_MS));
    await failed.fail();
    await finish(...Array.from({ length: 50 }, (_, index) => `order-${index}`));
    await slow.finish();
    await finish('last', 'failed');
    const results = ['failed', 'last', 'slow', 'order-49'].map(async (reference) => {
      const { result } = await inbox.claim(inboxDelivery(reference), LEASE_MS);
      return result;
    });
    expect(await Promise.all(results)).toEqual(['done', 'done', 'done', 'claimed']);
  });

  it('refuses new work instead of forgetting what runs or must run again', async () => {
    const { inbox } = memoryStorage({ maxEntries: 2 });
    const running = claimed(await inbox.claim(inboxDelivery('running'), LEASE_MS));
    await claimed(await inbox.claim(inboxDelivery('failed'), LEASE_MS)).fail();
    await expect(inbox.claim(inboxDelivery('new'), LEASE_MS)).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message:
        'The memory storage is full of deliveries whose handlers have not finished: raise maxEntries of memoryStorage(), or use a shared storage.',
    });
    expect((await inbox.claim(inboxDelivery('running'), LEASE_MS)).result).toBe('busy');
    await running.finish();
    expect((await inbox.claim(inboxDelivery('new'), LEASE_MS)).result).toBe('claimed');
  });

  it('never lets the claim of a forgotten outcome end the one that follows it', async () => {
    const { inbox } = memoryStorage({ maxEntries: 1 });
    const early = claimed(await inbox.claim(inboxDelivery('one'), LEASE_MS));
    await early.finish();
    await claimed(await inbox.claim(inboxDelivery('two'), LEASE_MS)).finish();
    await inbox.claim(inboxDelivery('one'), LEASE_MS);
    expect(await early.finish()).toBe(false);
  });

  it('bounds what is set aside by its reason, so that unknown names never keep a conflict out', async () => {
    const { conflicts } = memoryStorage({ maxEntries: 2 });
    const aside = (kind: SetAsideKind, fingerprint: string) =>
      conflicts.setAside({ ...inboxKey(''), kind, event: 'e', reference: 'r', fingerprint, payload: '{}' });
    await aside('unrecognized', 'b1');
    await aside('unrecognized', 'b2');
    await aside('unrecognized', 'b2');
    await expect(aside('unrecognized', 'b3')).rejects.toMatchObject({
      name: 'PaymentsStorageError',
      message:
        'The memory storage is full of deliveries that were set aside (unrecognized): raise maxEntries of memoryStorage(), or use a shared storage.',
    });
    await aside('conflict', 'f1');
    const [first] = await conflicts.list(inboxKey(''), { limit: 1 });
    await conflicts.remove(inboxKey(''), first?.id ?? '');
    await aside('unrecognized', 'b3');
    expect(await conflicts.list(inboxKey(''), { limit: 10 })).toHaveLength(3);
  });

  it('finds, removes and pages through more than nine events that were set aside', async () => {
    const { conflicts } = memoryStorage();
    for (let at = 1; at <= 11; at += 1) await conflicts.setAside(conflictOf(`f${at}`));
    const all = await conflicts.list(inboxKey(''), { limit: 100 });
    expect(all.map(({ fingerprint }) => fingerprint)).toEqual(
      Array.from({ length: 11 }, (_, index) => `f${index + 1}`),
    );
    const tenth = all[9]?.id ?? '';
    expect(await conflicts.get(inboxKey(''), tenth)).toMatchObject({ fingerprint: 'f10' });
    expect(await conflicts.list(inboxKey(''), { after: tenth, limit: 100 })).toEqual([all[10]]);
    await conflicts.remove(inboxKey(''), tenth);
    expect(await conflicts.get(inboxKey(''), tenth)).toBeUndefined();
    expect(await conflicts.list(inboxKey(''), { limit: 100 })).toHaveLength(10);
  });

  it('keeps an event that was set aside exactly as long ago as said, and purges an older one', async () => {
    let now = 1_800_000_000_000;
    const { conflicts } = memoryStorage({ now: () => now });
    await conflicts.setAside(conflictOf('f'));
    now += 5_000;
    expect(await conflicts.purge(inboxKey(''), 'conflict', 5_000)).toBe(0);
    now += 1;
    expect(await conflicts.purge(inboxKey(''), 'conflict', 5_000)).toBe(1);
  });

  it('writes down when an event was set aside by the clock of the process, unless it has another', async () => {
    const { conflicts } = memoryStorage();
    const before = Date.now();
    await conflicts.setAside(conflictOf('f'));
    const [first] = await conflicts.list(inboxKey(''), { limit: 1 });
    expect(first?.firstSeenAt).toBeGreaterThanOrEqual(before);
    expect(first?.firstSeenAt).toBeLessThanOrEqual(Date.now());
  });

  it('tells its name, and that each of its parts but the conflicts answers at once', () => {
    const storage = memoryStorage();
    expect(storage.name).toBe('memory');
    expect([storage, storage.inbox, storage.journal].map(isInProcess)).toEqual([true, true, true]);
    expect(isInProcess({ ...storage })).toBe(false);
  });

  it('shows no payload of what was set aside', async () => {
    const { conflicts } = memoryStorage();
    const payload = '{"customer_name":"Asha Mrema"}';
    const delivery = { kind: 'conflict', event: 'e', reference: 'r', fingerprint: 'f', payload } as const;
    await conflicts.setAside({ ...inboxKey(''), ...delivery });
    expect(inspect({ conflicts }, { depth: 9, showHidden: true })).not.toContain('Asha');
    expect(inspect(conflicts)).toBe('MemoryConflicts { 1 events }');
  });

  it('remembers ten thousand outcomes unless another number is asked for', async () => {
    const { inbox } = memoryStorage();
    for (let at = 0; at <= 10_000; at += 1) {
      await claimed(await inbox.claim(inboxDelivery(`order-${at}`), LEASE_MS)).finish();
    }
    expect((await inbox.claim(inboxDelivery('order-1'), LEASE_MS)).result).toBe('done');
    expect((await inbox.claim(inboxDelivery('order-0'), LEASE_MS)).result).toBe('claimed');
  });

  it('keeps an outcome that is exactly as old as said, and forgets an older one', async () => {
    let now = 1_800_000_000_000;
    const { inbox } = memoryStorage({ now: () => now });
    await claimed(await inbox.claim(inboxDelivery('order-1'), LEASE_MS)).finish();
    now += 5_000;
    expect(await inbox.purge(inboxKey(''), 5_000)).toBe(0);
    now += 1;
    expect(await inbox.purge(inboxKey(''), 5_000)).toBe(1);
  });

  it('purges no other account, however alike their names are', async () => {
    let now = 1_800_000_000_000;
    const { inbox } = memoryStorage({ now: () => now });
    const accounts = ['shop', 'shop outcome', 'shop 2', 'sho', ''];
    const delivery = (account: string) => inboxDelivery('1', { key: inboxKey('1', { account }) });
    for (const account of accounts) await claimed(await inbox.claim(delivery(account), LEASE_MS)).finish();
    now += 10_000;
    expect(await inbox.purge({ account: 'shop', environment: 'sandbox' }, 5_000)).toBe(1);
    const results = accounts.map(async (account) => (await inbox.claim(delivery(account), LEASE_MS)).result);
    expect(await Promise.all(results)).toEqual(['claimed', 'done', 'done', 'done', 'done']);
  });

  it('names a wrong bound', () => {
    for (const maxEntries of [0, -1, 1.5, Number.NaN]) {
      expect(() => memoryStorage({ maxEntries })).toThrow(
        new PaymentsConfigError(
          'The option maxEntries of memoryStorage() must be a whole number from 1 on: write 10_000.',
        ),
      );
    }
  });
});
