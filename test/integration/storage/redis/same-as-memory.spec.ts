import { expect, it } from 'vitest';
import fc from 'fast-check';
import {
  type JournalState,
  type StoredJournalRecord,
  type InboxClaim,
  type PaymentsStorage,
  memoryStorage,
} from 'nestjs-payments';
import { redisStorage } from 'nestjs-payments/redis';
import { inboxDelivery, inboxKey } from '../../../support/inbox-contract.js';
import { allBut, journalRecord } from '../../../support/journal-contract.js';
import { ownPrefix, TimeTravellingRedis } from '../../../support/redis.js';
import { redisOfSpecs } from '../../../support/redis-of-specs.js';
import { describeWith, redisService } from '../../../support/services.js';

const STATES: readonly JournalState[] = ['in-flight', 'accepted', 'rejected', 'unknown', 'settled'];
const STEP_MS = 20_000;

const reference = fc.constantFrom('order-1', 'order-1', 'order-2');
/** How many claims, or payments, ago. */
const back = fc.constantFrom(1, 1, 1, 2, 3);
const state = fc.constantFrom(...STATES);
const pass = fc.record({ do: fc.constant('pass' as const), steps: fc.integer({ min: 1, max: 3 }) });
const inboxStep = fc.oneof(
  fc.record({
    do: fc.constant('claim' as const),
    reference,
    fingerprint: fc.constantFrom('f1', 'f2', 'f3'),
    replaces: fc.constantFrom<readonly string[] | 'any'>([], ['f1'], ['f2', 'f3'], 'any'),
    leaseSteps: fc.integer({ min: 1, max: 3 }),
    more: fc.constantFrom(
      {},
      {},
      { mustExist: true },
      { providerReference: 'p1' },
      { providerReference: 'p2' },
    ),
  }),
  fc.record({ do: fc.constantFrom('mark' as const, 'finish' as const, 'fail' as const), back }),
  fc.record({ do: fc.constant('purge' as const), steps: fc.nat(3) }),
  pass,
);
const journalStep = fc.oneof(
  fc.record({ do: fc.constant('insert' as const), reference, state }),
  fc.record({
    do: fc.constant('replace' as const),
    back,
    state,
    attempt: fc.constantFrom(1, 2),
    leaseSteps: fc.nat(2),
  }),
  fc.record({ do: fc.constant('remove' as const), back }),
  fc.record({ do: fc.constant('list' as const), state, back: fc.option(back, { nil: undefined }) }),
  fc.record({
    do: fc.constant('purge payments' as const),
    what: fc.constantFrom(
      'settled' as const,
      'rejected' as const,
      'tombstones' as const,
      'tombstones' as const,
    ),
    steps: fc.nat(3),
  }),
  fc.record({ do: fc.constant('tombstone' as const), reference }),
  pass,
);
type Step = typeof inboxStep | typeof journalStep extends fc.Arbitrary<infer T> ? T : never;

/** One storage through a story, telling what it said in words that two storages must share. */
class Teller {
  private readonly claims: InboxClaim[] = [];
  private readonly known: StoredJournalRecord[] = [];

  constructor(
    private readonly storage: PaymentsStorage,
    private readonly pass: (ms: number) => void,
  ) {}

  async tell(step: Step): Promise<unknown> {
    const { inbox, journal } = this.storage;
    switch (step.do) {
      case 'pass':
        this.pass(step.steps * STEP_MS);
        return undefined;
      case 'claim': {
        const { fingerprint, replaces, leaseSteps, more } = step;
        const delivery = inboxDelivery(step.reference, {
          event: fingerprint,
          fingerprint,
          replaces,
          ...more,
        });
        const told = await inbox.claim(delivery, leaseSteps * STEP_MS);
        if (told.result === 'busy') return { ...told, leaseLeftMs: inSteps(told.leaseLeftMs) };
        if (told.result !== 'claimed') return told;
        this.claims.push(told.claim);
        return [told.claim.attempt, told.claim.finished];
      }
      case 'mark':
        return this.claims.at(-step.back)?.mark(`handler ${step.back}`);
      case 'finish':
      case 'fail':
        return this.claims.at(-step.back)?.[step.do]();
      case 'purge':
        return inbox.purge(inboxKey(''), (step.steps - 0.5) * STEP_MS);
      case 'purge payments':
        return journal.purge(inboxKey(''), step.what, (step.steps - 0.5) * STEP_MS);
      case 'tombstone':
        return journal.tombstone(journalRecord(step.reference));
      case 'insert': {
        const record = journalRecord(step.reference, { state: step.state });
        const { inserted, stored, tombstone } = await journal.insert(record, STEP_MS);
        return stored ? [inserted, this.learn(stored)] : tombstone;
      }
      case 'replace': {
        const known = this.known.at(-step.back);
        if (!known) return undefined;
        const record = { ...known.record, state: step.state, attempt: step.attempt };
        const stored = await journal.replace(known.version, record, step.leaseSteps * STEP_MS);
        return stored && this.learn(stored);
      }
      case 'remove': {
        const known = this.known.at(-step.back);
        return known && journal.remove(known.record, known.version);
      }
      case 'list': {
        const known = step.back === undefined ? undefined : this.known.at(-step.back);
        const from = known && known.createdAt - STEP_MS / 2;
        const page = await journal.list(journalRecord(''), allBut(step.state), {
          limit: 5,
          ...(from !== undefined && { from }),
        });
        return page.entries.map(described);
      }
    }
  }

  private learn(stored: StoredJournalRecord): unknown {
    this.known.push(stored);
    return described(stored);
  }
}

/** Redis' clock also runs between two steps, by far less than one. */
function inSteps(ms: number): number {
  return Math.round(ms / STEP_MS);
}

function described({
  record,
  createdAt,
  updatedAt,
  ageMs,
  idleMs,
  leaseLeftMs,
}: StoredJournalRecord): unknown {
  return [record, ...[updatedAt - createdAt, ageMs, idleMs, leaseLeftMs].map(inSteps)];
}

describeWith([redisService], 'redisStorage() beside memoryStorage()', () => {
  const { prefix, client } = redisOfSpecs();

  it.each([
    ['deliveries', fc.array<Step>(inboxStep, { minLength: 20, maxLength: 40 })],
    ['payments', fc.array<Step>(journalStep, { minLength: 20, maxLength: 40 })],
  ])('says the same in every story of %s', async (_what, stories) => {
    await fc.assert(fc.asyncProperty(stories, tellTwice), { numRuns: 100 });
  });

  async function tellTwice(story: readonly Step[]): Promise<void> {
    let now = 1_800_000_000_000;
    const memory = new Teller(memoryStorage({ now: () => now }), (ms) => {
      now += ms;
    });
    const travelling = new TimeTravellingRedis(client());
    const keyPrefix = `${prefix}${ownPrefix()}`;
    const redis = new Teller(redisStorage({ client: travelling, keyPrefix }), (ms) => {
      travelling.pass(ms);
    });
    for (const step of story) expect(await redis.tell(step)).toEqual(await memory.tell(step));
  }
});
