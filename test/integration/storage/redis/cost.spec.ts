import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Redis } from 'ioredis';
import { type PaymentsStorage } from 'nestjs-payments';
import { redisStorage } from 'nestjs-payments/redis';
import { claimed, inboxDelivery, inboxKey } from '../../../support/inbox-contract.js';
import { allBut, journalRecord, storedBy } from '../../../support/journal-contract.js';
import { connectRedis, forget, ownPrefix } from '../../../support/redis.js';
import { describeWith, redisService } from '../../../support/services.js';

const LEASE_MS = 60_000;

describeWith([redisService], 'what redisStorage() asks of Redis', () => {
  const prefix = ownPrefix();
  let client: Redis;
  let storage: PaymentsStorage;
  let calls: string[];

  beforeEach(async () => {
    client = connectRedis();
    calls = [];
    const counting = {
      status: 'ready',
      info: () => Promise.resolve(''),
      eval: (script: string, keys: number, ...values: string[]) => {
        calls.push('eval');
        return client.eval(script, keys, ...values);
      },
      evalsha: (sha1: string, keys: number, ...values: string[]) => {
        calls.push('evalsha');
        return client.evalsha(sha1, keys, ...values);
      },
    };
    storage = redisStorage({ client: counting, keyPrefix: prefix });
    const { inbox, journal } = redisStorage({ client, keyPrefix: prefix });
    // The server knows every script from now on.
    await claimed(await inbox.claim(inboxDelivery('order-0'), LEASE_MS)).finish();
    const stored = storedBy(await journal.insert(journalRecord('order-0'), LEASE_MS));
    await journal.replace(stored.version, stored.record, 0);
    // The first use also asks for the format of the stored data, and lists the account.
    await storage.journal.get(stored.record);
    expect(calls).toHaveLength(3);
    calls = [];
  });

  afterEach(async () => {
    await forget(client, prefix);
    client.disconnect();
  });

  it('is one round trip to claim and one to finish', async () => {
    const claim = claimed(await storage.inbox.claim(inboxDelivery('order-1'), LEASE_MS));
    expect(calls).toEqual(['evalsha']);
    await claim.finish();
    expect(calls).toEqual(['evalsha', 'evalsha']);
  });

  it('is one round trip to write a payment down and one to write its end', async () => {
    const stored = storedBy(await storage.journal.insert(journalRecord('order-1'), LEASE_MS));
    await storage.journal.replace(stored.version, { ...stored.record, state: 'accepted' }, 0);
    expect(calls).toEqual(['evalsha', 'evalsha']);
  });

  it('is no more through a client that gives numbers as texts', async () => {
    const textual = connectRedis();
    textual.options.stringNumbers = true;
    const { journal } = redisStorage({ client: textual, keyPrefix: prefix });
    await journal.get(journalRecord('order-1'));
    const sent = vi.spyOn(textual, 'sendCommand');
    await journal.get(journalRecord('order-1'));
    expect(sent).toHaveBeenCalledTimes(1);
    textual.disconnect();
  });

  it('is a script of at most a thousand entries at a time to purge', async () => {
    const { inbox, journal } = storage;
    const settled = { state: 'settled', outcome: 'success' } as const;
    const write = async (reference: string): Promise<void> => {
      const [claim] = await Promise.all([
        inbox.claim(inboxDelivery(reference), LEASE_MS),
        journal.insert(journalRecord(reference, settled), 0),
      ]);
      await claimed(claim).finish();
    };
    await Promise.all(Array.from({ length: 2_499 }, (_, at) => write(`order-${at + 1}`)));
    await storage.inbox.purge(inboxKey(''), 60_000);
    calls = [];
    expect(await inbox.purge(inboxKey(''), -1)).toBe(2_500);
    expect(calls).toHaveLength(3);
    expect((await journal.list(journalRecord(''), allBut('settled'), { limit: 5_000 })).entries).toHaveLength(
      2_499,
    );
    calls = [];
    expect(await journal.purge(inboxKey(''), 'settled', -1)).toBe(2_499);
    // Three for the collections, one that finds no disbursements; `eval` if the server did not know the script.
    expect(calls.filter((call) => call === 'evalsha')).toHaveLength(4);
    expect((await inbox.claim(inboxDelivery('order-1'), LEASE_MS)).result).toBe('claimed');
  });

  it('leaves nothing behind of what was purged, removed or released', async () => {
    const { inbox, journal } = storage;
    await inbox.purge(inboxKey(''), -1);
    const stored = storedBy(await journal.insert(journalRecord('order-1', { state: 'settled' }), 0));
    const other = storedBy(await journal.insert(journalRecord('order-2', { state: 'settled' }), 0));
    await journal.replace(other.version, journalRecord('order-2', { state: 'unknown' }), 0);
    await journal.remove(stored.record, stored.version);
    const keys = await client.keys(`${prefix}*`);
    const kept = keys.filter((key) => !key.endsWith(':version'));
    expect(kept.map((key) => key.slice(prefix.length)).sort()).toEqual([
      'accounts',
      '{default:sandbox}:format',
      '{default:sandbox}:journal:collection',
      '{default:sandbox}:journal:collection:in-flight',
      '{default:sandbox}:journal:collection:unknown',
    ]);
    for (const key of kept) expect(await client.ttl(key)).toBe(-1);
  });
});
