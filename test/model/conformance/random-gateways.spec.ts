import { describe, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import {
  ALL_INPUTS,
  type Conclusion,
  conclusionsAfterAnHour,
  conclusionsOf,
  DOCUMENTED_FACTS,
  type FactName,
  factsOf,
  type FactValue,
  gatewayOf,
  HOUR_INPUTS,
  observedProfile,
  ownJournal,
  planRun,
  randomProfile,
  unplannedOf,
  WIDE_CAPS,
} from '../../support/conformance-run.js';
import { Random } from '../../support/random.js';
import { startSandbox } from '../../support/sandbox.js';
import { withStatusQuery } from '../../support/status-gateway.js';

const { CONFORMANCE_RUNS, CONFORMANCE_SEED } = process.env;
const runs = Number(CONFORMANCE_RUNS ?? 15);
const first = Number(CONFORMANCE_SEED ?? 21);

/** Fewer gateways may miss a value of a fact. */
const MANY = 200;

const ALIVE: readonly string[] = ['pending', 'processing', 'success'];
const STATUSES = [...ALIVE, 'failed', 'cancelled', 'expired'];

type Facts = ReadonlyMap<FactName, FactValue>;

/**
 * What can be seen of a gateway at all. Its own log says which refusals and successes it gave.
 *
 * @param status What its payments are after an hour.
 */
function observableOf(facts: Facts, sandbox: PaymentsSandbox, status: string): Facts {
  const requests = sandbox.requests();
  const codes = new Set(requests.map(({ code }) => code));
  const succeeded = new Set(
    requests
      .filter(({ response_body }) => response_body?.includes('"data"'))
      .map(({ method, path }) => `${method} ${path.replace('/api/v1', '')}`),
  );
  const isSeen = (name: FactName): boolean => {
    const [, what, subject = ''] = /^(status|shape|success) of (.+)$/.exec(name) ?? [];
    if (name === 'status of wrong fields') return true;
    if (what === 'success') return succeeded.has(subject);
    if (what !== undefined) return codes.has(subject);
    if (name === 'case of bank codes' || name === 'long bank codes')
      return facts.get('lookup of BANK') === 'answered';
    if (name === 'key after an hour') return showsMemory(facts, status);
    return name !== 'key of a refusal' || showsKeys(facts);
  };
  return new Map([...facts].filter(([name]) => isSeen(name)));
}

/** A gateway that takes a used key for another request hides whether a key is used, unless it refuses the same request. */
function showsKeys(facts: Facts): boolean {
  const [repeated, otherBody] = [facts.get('repeated key'), facts.get('repeated key, other body')];
  if (otherBody !== 'accepted' || repeated === 'DUPLICATE_REQUEST') return true;
  return repeated === 'DUPLICATE_REFERENCE' && facts.get('key of a refusal') === 'used';
}

/**
 * A gateway that looks at the reference first hides what it knows of the key, unless it takes the reference again. A key that is not
 * known any more shows something only while its payment has not failed.
 */
function showsMemory(facts: Facts, status: string): boolean {
  const isHidden = facts.get('repeated key') === 'DUPLICATE_REFERENCE';
  if (facts.get('key after an hour') === 'remembered') return !isHidden;
  return ALIVE.includes(status) && (!isHidden || facts.get('repeated reference') === 'accepted');
}

async function askedOf(options: Parameters<typeof startSandbox>[0]): Promise<readonly Conclusion[]> {
  const sandbox = await startSandbox({ clock: 'manual', ...options });
  sandbox.directory.register(ALL_INPUTS.bankAccount!, ALL_INPUTS.accountName!);
  const baseUrl = await withStatusQuery(sandbox, 'pending');
  const conclusions = await conclusionsAfterAnHour(sandbox, undefined, undefined, { baseUrl });
  await sandbox.stop();
  return conclusions;
}

/** Without the request ids, which differ from run to run. */
function told(conclusions: readonly Conclusion[]) {
  return conclusions.map(({ verdict, question, says, fact }) => ({ verdict, question, says, fact }));
}

describe('a gateway whose facts are random', () => {
  it(
    'is learnt as it is, as far as it can be seen, and never wrongly',
    async () => {
      const learntValues = new Set<string>();
      for (let run = 0; run < runs; run += 1) {
        const seed = first + run;
        const profile = randomProfile(seed);
        const sandbox = await startSandbox({ clock: 'manual', profile, seed });
        sandbox.directory.register(ALL_INPUTS.bankAccount!, ALL_INPUTS.accountName!);
        const plan = planRun(HOUR_INPUTS, WIDE_CAPS);
        const journal = ownJournal();
        const status = new Random(seed).pick(STATUSES);
        const baseUrl = await withStatusQuery(sandbox, status);
        const conclusions = await conclusionsAfterAnHour(sandbox, plan, journal, { baseUrl });
        const chosen: Facts = new Map(
          [...DOCUMENTED_FACTS.keys()].map((name) => [name, profile.facts[name]!] as const),
        );
        const learnt = Object.fromEntries(factsOf(conclusions));
        expect({ seed, ...learnt }).toEqual({
          seed,
          ...Object.fromEntries(observableOf(chosen, sandbox, status)),
        });
        expect(unplannedOf(plan, sandbox.requests(), journal)).toEqual([]);
        for (const [name, value] of Object.entries(learnt)) learntValues.add(`${name}: ${value}`);
        await sandbox.stop();
      }
      if (runs >= MANY) expect(learntValues.size).toBeGreaterThan(3 * DOCUMENTED_FACTS.size);
    },
    60_000 + runs * 20_000,
  );

  it(
    'is rebuilt by an emulator with what was observed, as far as a second run can tell',
    async () => {
      for (let run = 0; run < Math.ceil(runs / 3); run += 1) {
        const seed = first + run;
        const before = await askedOf({ profile: randomProfile(seed), seed });
        const profile = observedProfile(before, undefined, new Date(0));
        const after = await askedOf({ profile, seed });
        expect({ seed, told: told(after) }).toEqual({ seed, told: told(before) });
      }
    },
    60_000 + runs * 20_000,
  );

  it(
    'is never learnt wrongly with few inputs, small amounts and tight caps',
    async () => {
      for (let run = 0; run < Math.ceil(runs / 3); run += 1) {
        const profile = randomProfile(first + run);
        const sandbox = await startSandbox({ profile });
        const inputs = { phone: ALL_INPUTS.phone!, partnerPhone: ALL_INPUTS.partnerPhone!, amountCents: 100 };
        const plan = planRun(inputs, { maxRequests: 40, maxAmountCents: 20_000 });
        const facts = factsOf(await conclusionsOf(gatewayOf(sandbox), plan));
        expect(facts.size).toBeGreaterThan(3);
        for (const [name, value] of facts)
          expect([first + run, name, value]).toEqual([first + run, name, profile.facts[name]]);
        await sandbox.stop();
      }
    },
    60_000 + runs * 20_000,
  );
});
