import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import {
  isPaymentsError,
  type JournalStore,
  type PaymentFamily,
  type PaymentsJournal,
  type PaymentsStorage,
  memoryStorage,
} from 'nestjs-payments';
import { bankRequest, collectionRequest, mobileRequest } from '../../support/gateway-answers.js';
import { FAULTS, KeyOnlyGateway, type Fault } from '../../support/key-only-gateway.js';
import { connectMerchant, type MerchantConnections, merchantServices } from '../../support/merchant.js';
import { startMisbehavingGateway, type MisbehavingGateway } from '../../support/misbehaving-gateway.js';

const RUNS = Number(process.env['PAYMENTS_MODEL_RUNS'] ?? 300);
const SEED = Number(process.env['PAYMENTS_MODEL_SEED'] ?? Date.now() % 2 ** 31);

const OPERATIONS = ['mobile-money', 'partner-wallet', 'bank', 'mobile-payout'] as const;
const REFERENCES = ['one', 'two'] as const;
const AMOUNTS = ['100.00', '200.00'] as const;

interface Call {
  readonly operation: (typeof OPERATIONS)[number];
  readonly reference: (typeof REFERENCES)[number];
  readonly amount: (typeof AMOUNTS)[number];
}

type Step =
  | {
      readonly do: 'call';
      readonly calls: readonly Call[];
      readonly faults: readonly Fault[];
      readonly options: object;
    }
  /** The process dies: before anything is sent, or when the gateway has the request. */
  | { readonly do: 'crash'; readonly call: Call; readonly when: 'written' | 'sent'; readonly fault: Fault }
  | { readonly do: 'restart' }
  | { readonly do: 'wait'; readonly ms: number }
  | {
      readonly do: 'recover';
      readonly faults: readonly Fault[];
      readonly replicas: number;
      readonly afterMs: number;
    };

// Mostly the same two payments: repetition is where money is lost.
const USUAL: readonly Call[] = [
  { operation: 'mobile-money', reference: 'one', amount: '100.00' },
  { operation: 'bank', reference: 'one', amount: '100.00' },
];
const anyCall = fc.record({
  operation: fc.constantFrom(...OPERATIONS),
  reference: fc.constantFrom(...REFERENCES),
  amount: fc.constantFrom(...AMOUNTS),
});

const call: fc.Arbitrary<Call> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...USUAL) },
  { weight: 1, arbitrary: anyCall },
);
const fault = fc.constantFrom(...FAULTS);
const options = fc.constantFrom(
  {},
  {},
  {},
  { attempt: 2 },
  { idempotencyKey: 'of-the-caller' },
  { retry: false },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      calls: fc.array(call, { minLength: 1, maxLength: 3 }),
      faults: fc.array(fault, { maxLength: 4 }),
      options,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('crash' as const),
      call,
      when: fc.constantFrom('written' as const, 'sent' as const),
      fault,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1_000, 20_000, 100_000, 1_000_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('recover' as const),
      faults: fc.array(fault, { maxLength: 3 }),
      replicas: fc.constantFrom(1, 2),
      // Recovery leaves a payment to its call for as long as that may run.
      afterMs: fc.constantFrom(0, 0, 100_000),
    }),
  },
);

interface Story {
  readonly probePayouts: boolean;
  readonly probeInCall: boolean;
}

const story = fc.record({ probePayouts: fc.boolean(), probeInCall: fc.boolean() });

const familyOf = ({ operation }: Call): PaymentFamily =>
  operation === 'mobile-money' || operation === 'partner-wallet' ? 'collection' : 'disbursement';

describe('any story of faults, repeated calls and crashes', () => {
  let server: MisbehavingGateway;
  let connections: MerchantConnections;

  beforeAll(async () => {
    server = await startMisbehavingGateway();
    connections = await connectMerchant({ baseUrl: server.baseUrl, timeoutMs: 1_000 });
  });
  beforeEach(() => {
    for (const level of ['log', 'warn', 'error'] as const)
      vi.spyOn(Logger.prototype, level).mockImplementation(() => {});
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(async () => {
    await connections.close();
    await server.close();
  });

  /** What all stories came to. If nobody pays, nothing is ever wrong. */
  const tally = { resolved: 0, effects: 0, probes: 0 };

  interface Process {
    readonly make: (call: Call, options?: object) => Promise<unknown>;
    readonly journal: PaymentsJournal;
    die: (when: 'written' | 'now') => void;
  }

  function startProcess(storage: PaymentsStorage, { probePayouts, probeInCall }: Story): Process {
    // A wait that leaves under a second of the deadline leaves the probe to repeated calls and to recover().
    const waitMs = probeInCall ? 0 : 4_500;
    const waits = { afterAnswerMs: waitMs, afterSilenceMs: waitMs };
    let dying: 'written' | 'now' | undefined;
    const mortal = new Proxy(storage.journal, {
      get:
        (target, name) =>
        async (...args: unknown[]) => {
          if (dying === 'now') throw new Error('the process is dead');
          const result = await (target[name as keyof JournalStore] as (...args: unknown[]) => unknown).apply(
            target,
            args,
          );
          if (dying === 'written' && name !== 'get') {
            dying = 'now';
            throw new Error('the process is dead');
          }
          return result;
        },
    });
    const options = {
      baseUrl: server.baseUrl,
      timeoutMs: 1_000,
      deadlineMs: 5_000,
      retry: { maxAttempts: 2, baseDelayMs: 0, maxDelayMs: 0 },
      probe: { collections: waits, disbursements: probePayouts ? waits : (false as const) },
      storage: { ...storage, journal: mortal },
    };
    const { collections, disbursements, journal } = merchantServices(options, connections.http);
    return {
      make: ({ operation, reference, amount }, callOptions) => {
        const what = { reference, amount };
        if (operation === 'mobile-money')
          return collections.mobileMoney({ ...collectionRequest, ...what }, callOptions);
        if (operation === 'partner-wallet')
          return collections.partnerWallet({ ...collectionRequest, ...what }, callOptions);
        if (operation === 'bank') return disbursements.bank({ ...bankRequest, ...what }, callOptions);
        return disbursements.mobileMoney({ ...mobileRequest, ...what }, callOptions);
      },
      journal,
      die: (when) => {
        dying = when;
      },
    };
  }

  async function play(steps: readonly Step[], story: Story): Promise<void> {
    const gateway = new KeyOnlyGateway();
    server.answer(gateway.answer);
    let now = 1_800_000_000_000;
    const storage = memoryStorage({ now: () => now });
    const store = storage.journal;
    let process = startProcess(storage, story);

    const judge = async (made: Call, end: Promise<unknown>): Promise<void> => {
      const { reference, amount } = made;
      const value = await end.catch((error: unknown) => error);
      const effects = gateway.effectsOf(familyOf(made), reference);
      const name = value instanceof Error ? value.name : 'resolved';
      if (name === 'resolved') tally.resolved += 1;
      if (name === 'resolved' && (effects.length !== 1 || Number(effects[0]?.amount) !== Number(amount)))
        throw new Error(`a call resolved with ${effects.length} effects`);
      if (name === 'PaymentRejectedError' && effects.length !== 0)
        throw new Error('a call was rejected although money moved');
      if (name !== 'resolved' && !isPaymentsError(value)) throw value as Error;
    };
    const judgeBooks = async (): Promise<void> => {
      for (const family of ['collection', 'disbursement'] as const) {
        for (const reference of REFERENCES) {
          const effects = gateway.effectsOf(family, reference).length;
          const stored = await store.get({ account: 'default', environment: 'sandbox', family, reference });
          const state = stored?.record.state ?? 'nothing';
          if (effects > 1) throw new Error(`${family} ${reference} was paid ${effects} times`);
          if (effects > 0 && (state === 'rejected' || state === 'nothing'))
            throw new Error(`${family} ${reference} was paid, and the journal says ${state}`);
          if (effects === 0 && state === 'accepted')
            throw new Error(`${family} ${reference} was never paid, and the journal says accepted`);
        }
      }
    };

    for (const current of steps) {
      if (current.do === 'call') {
        gateway.plan(...current.faults);
        const judged = current.calls.map((made) => judge(made, process.make(made, current.options)));
        // A call that still runs would pay in the next story, which begins when this one has failed.
        await Promise.allSettled(judged);
        await Promise.all(judged);
      } else if (current.do === 'crash') {
        gateway.plan(current.fault);
        if (current.when === 'written') process.die('written');
        else
          server.answer((response, socket, request) => {
            process.die('now');
            gateway.answer(response, socket, request);
          });
        await process.make(current.call).catch(() => {});
        process.die('now');
        server.answer(gateway.answer);
        process = startProcess(storage, story);
      } else if (current.do === 'restart') {
        process = startProcess(storage, story);
      } else if (current.do === 'wait') {
        now += current.ms;
      } else {
        gateway.plan(...current.faults);
        now += current.afterMs;
        const seenBefore = server.seen.length;
        const replicas = [
          process,
          ...Array.from({ length: current.replicas - 1 }, () => startProcess(storage, story)),
        ];
        await Promise.all(replicas.map(({ journal }) => journal.recover()));
        tally.probes += server.seen.length - seenBefore;
      }
      await judgeBooks();
    }
    tally.effects += gateway.effects.length;
  }

  it(`moves money at most once, and never calls failed what moved (seed ${SEED}, ${RUNS} runs)`, async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), story, play), {
      numRuns: RUNS,
      seed: SEED,
    });
    // Every 300 stories come to three times as much, and to ten probes or more, whatever their seed.
    const least = Math.floor(RUNS / 300);
    expect(tally.resolved).toBeGreaterThanOrEqual(100 * least);
    expect(tally.effects).toBeGreaterThanOrEqual(100 * least);
    expect(tally.probes).toBeGreaterThanOrEqual(least);
  }, 120_000);
});
