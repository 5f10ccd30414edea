import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type PaymentsSandbox, type PlannedFault } from 'nestjs-payments/sandbox';
import {
  ALL_INPUTS,
  DOCUMENTED_FACTS,
  planRun,
  conclusionsOf,
  factsOf,
  gatewayOf,
  ownJournal,
  unplannedOf,
  WIDE_CAPS,
} from '../../../support/conformance-run.js';
import { startSandbox } from '../../../support/sandbox.js';

type NextCall = ReturnType<PaymentsSandbox['next']>;

const OPERATIONS = [
  'POST /payments/mobile-money',
  'POST /payments/partnerpesa',
  'GET /merchant-balance',
  'GET /bank-shortnames',
  'POST /disbursements/name-lookup',
  'POST /disbursements/bank',
  'POST /disbursements/mobile-money',
] as const;

const FAULTS: readonly (readonly [string, (call: NextCall) => PlannedFault])[] = [
  ['lost requests', (call) => call.dropBefore()],
  ['lost answers', (call) => call.dropAfterProcessing()],
  ['resets', (call) => call.reset()],
  ['halves of answers', (call) => call.partialBody()],
  ['broken JSON', (call) => call.malformedJson()],
  ['pages of a proxy', (call) => call.html(502)],
  ['pages with 200', (call) => call.html(200)],
  ['503', (call) => call.status(503)],
  ['503 for what was done', (call) => call.status(503, { afterProcessing: true })],
  ['429', (call) => call.status(429, { retryAfter: 2 })],
  [
    'PROVIDER_ERROR for what was done',
    (call) => call.status(422, { code: 'PROVIDER_ERROR', afterProcessing: true }),
  ],
  ['silence', (call) => call.hang()],
];

describe('a run under faults', () => {
  it.each(FAULTS)('learns nothing wrong from %s, and sends nothing twice', async (_, planned) => {
    const sandbox = await startSandbox({ seed: 7 });
    for (const operation of OPERATIONS) planned(sandbox.next(operation)).probability(0.25);
    const plan = planRun(ALL_INPUTS, WIDE_CAPS);
    const journal = ownJournal();
    const conclusions = await conclusionsOf({ ...gatewayOf(sandbox), timeoutMs: 1_000 }, plan, { journal });
    const facts = factsOf(conclusions);
    expect(facts.size).toBeGreaterThan(10);
    for (const [name, value] of facts) expect([name, value]).toEqual([name, DOCUMENTED_FACTS.get(name)]);
    expect(unplannedOf(plan, sandbox.requests(), journal)).toEqual([]);
  });

  it('waits after a 429 as long as it is told, but for a minute at most', async () => {
    const sandbox = await startSandbox();
    sandbox.next('GET /merchant-balance').status(429, { retryAfter: 7 });
    sandbox.next('GET /bank-shortnames').status(429, { retryAfter: 3_600 });
    const waits: number[] = [];
    const plan = planRun({ amountCents: 100 }, WIDE_CAPS);
    await conclusionsOf(gatewayOf(sandbox), plan, {
      wait: (milliseconds) => Promise.resolve(void waits.push(milliseconds)),
    });
    expect(waits).toEqual([7_000, 60_000]);
  });

  it.each([1, 2, 3])('comes to its end with a gateway that varies its answers (seed %i)', async (seed) => {
    const sandbox = await startSandbox({ profile: 'adversarial', seed });
    const plan = planRun(ALL_INPUTS, WIDE_CAPS);
    const journal = ownJournal();
    const conclusions = await conclusionsOf(gatewayOf(sandbox), plan, { journal });
    const concluded = new Set(conclusions.map(({ question }) => question));
    for (const { question } of plan.questions) expect(concluded).toContain(question.name);
    expect(factsOf(conclusions).size).toBeGreaterThan(20);
    expect(unplannedOf(plan, sandbox.requests(), journal)).toEqual([]);
  });

  it('learns nothing from a body that is too long to be read whole', async () => {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ status: 'success', data: 'x'.repeat(70_000) }));
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const gateway = {
      baseUrl: `http://127.0.0.1:${port}/api/v1`,
      apiKey: 'pk_test_a',
      apiSecret: 'sk_test_a',
    };
    const conclusions = await conclusionsOf(gateway, planRun({ amountCents: 100 }, WIDE_CAPS));
    expect(conclusions[0]).toMatchObject({
      verdict: 'silent',
      says: 'request 1: its body is longer than 64 kB',
    });
    expect(factsOf(conclusions).size).toBe(0);
  });

  it('says that a gateway which is away could not be reached', async () => {
    const sandbox = await startSandbox();
    const gateway = gatewayOf(sandbox);
    await sandbox.stop();
    const conclusions = await conclusionsOf(gateway, planRun({ amountCents: 100 }, WIDE_CAPS));
    expect(new Set(conclusions.map(({ verdict }) => verdict))).toEqual(new Set(['silent']));
    expect(conclusions[0]?.says).toBe('request 1: the gateway could not be reached');
  });
});
