import { beforeEach, expect, it } from 'vitest';
import { type JournalStore } from 'nestjs-payments';
import { redisStorage, type RedisClient } from 'nestjs-payments/redis';
import { journalRecord, storedBy } from '../../../support/journal-contract.js';
import { ownPrefix } from '../../../support/redis.js';
import { redisOfSpecs } from '../../../support/redis-of-specs.js';
import { describeWith, redisService } from '../../../support/services.js';

const SCOPE = { account: 'default', environment: 'sandbox', family: 'collection' } as const;
const START_S = 1_800_000_000;
const START_MS = START_S * 1_000;

describeWith([redisService], 'a list of a journal in Redis that begins at a time', () => {
  const { prefix, client } = redisOfSpecs();
  let keyPrefix: string;
  let micros: number;
  let journal: JournalStore;

  beforeEach(() => {
    keyPrefix = `${prefix}${ownPrefix()}`;
    micros = 0;
    journal = redisStorage({ client: withClock(client(), () => micros), keyPrefix }).journal;
  });

  /** What is listed from a time on, page by page. */
  async function listed(from: number, limit: number): Promise<readonly string[]> {
    const seen: string[] = [];
    let after: string | undefined;
    for (let pages = 0; pages < 20; pages += 1) {
      const page = await journal.list(SCOPE, ['settled'], {
        from,
        limit,
        ...(after !== undefined && { after }),
      });
      seen.push(...page.entries.map(({ record }) => record.reference));
      after = page.next;
      if (after === undefined) break;
    }
    return seen;
  }

  it('has what was written in the first microsecond of that time', async () => {
    await journal.insert(journalRecord('first'), 0);
    micros = 999;
    await journal.insert(journalRecord('last'), 0);
    micros = 1_000;
    await journal.insert(journalRecord('next'), 0);
    expect(await listed(START_MS, 1)).toEqual(['first', 'last', 'next']);
    expect(await listed(START_MS + 1, 1)).toEqual(['next']);
    expect(await listed(START_MS + 2, 1)).toEqual([]);
  });

  it.each([1, 2, 9])('leaves out what is older, if the clock went back: %i on a page', async (limit) => {
    await journal.insert(journalRecord('before'), 0);
    micros = -3_600_000_000;
    for (const state of ['in-flight', 'planned', 'in-flight', 'planned'] as const) {
      await journal.insert(journalRecord(`back ${micros} ${state}`, { state }), 0);
      micros += 1_000;
    }
    micros = 1_000;
    await journal.insert(journalRecord('after'), 0);
    await journal.insert(journalRecord('planned', { state: 'planned' }), 0);
    expect(await listed(START_MS, limit)).toEqual(['before', 'after', 'planned']);
    expect(await listed(START_MS - 3_600_000, limit)).toHaveLength(7);
  });

  it('has a payment whose row was lost, at its place, also when its end was written', async () => {
    await journal.insert(journalRecord('old'), 0);
    micros = 1_000;
    const { createdAt } = storedBy(await journal.insert(journalRecord('lost'), 0));
    await client().hdel(`${keyPrefix}{default:sandbox}:journal:collection`, '"lost"');
    expect(await listed(createdAt, 9)).toEqual(['lost']);
    expect(await listed(createdAt + 1, 9)).toEqual([]);
    micros = 90_000_000;
    expect((await journal.replace(0, journalRecord('lost', { state: 'accepted' }), 0))?.createdAt).toBe(
      createdAt,
    );
    expect(await listed(createdAt, 9)).toEqual(['lost']);
    expect(await listed(createdAt + 1, 9)).toEqual([]);
  });
});

/** A client on whose server it is always a moment after the start. */
function withClock(client: RedisClient, micros: () => number): RedisClient {
  return {
    get status() {
      return client.status;
    },
    info: (section) => client.info(section),
    eval: (script, numberOfKeys, ...values) => {
      const now = `(function () local us = ${START_S} * 1e6 + ${micros()} return { math.floor(us / 1e6), us % 1e6 } end)()`;
      return client.eval(script.replaceAll("redis.call('TIME')", now), numberOfKeys, ...values);
    },
    evalsha: () => Promise.reject(Object.assign(new Error('NOSCRIPT another time'), { name: 'ReplyError' })),
  };
}
