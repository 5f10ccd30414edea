import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { bundleCli, environmentOf, runCommand } from '../../../support/cli-process.js';
import {
  type Conclusion,
  conclusionsAfterAnHour,
  conclusionsOf,
  gatewayOf,
  HOUR_INPUTS,
  ownFolder,
  ownJournal,
  planRun,
  QUESTIONS,
  unplannedOf,
  WIDE_CAPS,
} from '../../../support/conformance-run.js';
import { profileWith } from '../../../support/gateway-profiles.js';
import { startSandbox } from '../../../support/sandbox.js';
import { withStatusQuery } from '../../../support/status-gateway.js';

const HOUR_MS = 3_600_000;
const asked = QUESTIONS.filter(({ name }) => name === 'key after an hour' || name === 'longest reference');
const plan = planRun(HOUR_INPUTS, WIDE_CAPS, asked);
const withoutStatus = planRun(
  { phone: HOUR_INPUTS.phone!, afterAnHour: true, amountCents: HOUR_INPUTS.amountCents },
  WIDE_CAPS,
  asked,
);

function about(
  conclusions: readonly Conclusion[],
): Pick<Conclusion, 'verdict' | 'says' | 'fact'> | undefined {
  return conclusions.find(({ question }) => question === 'key after an hour');
}

/** The command, and what an hour later would find in its journal. */
function anHourEarlier(journal: string): void {
  const lines = readFileSync(journal, 'utf8').trimEnd().split('\n');
  const earlier = lines.map((line) => {
    const { at, ...entry } = JSON.parse(line) as { readonly at: string };
    return JSON.stringify({ ...entry, at: new Date(Date.parse(at) - HOUR_MS).toISOString() });
  });
  writeFileSync(journal, `${earlier.join('\n')}\n`);
}

describe('a request that may be sent after an hour alone', () => {
  const collections = (sandbox: PaymentsSandbox) =>
    sandbox
      .requests()
      .filter(({ body }) => (body as { reference?: string } | null)?.reference?.length === 24);

  it('is not sent a moment earlier, is sent once, and leaves the rest of the run alone', async () => {
    const sandbox = await startSandbox({ clock: 'manual' });
    const journal = ownJournal();
    const options = { journal, now: () => sandbox.clock.now() };
    const ask = () => conclusionsOf(gatewayOf(sandbox), plan, options);
    const first = await ask();
    expect(about(first)).toMatchObject({
      verdict: 'silent',
      says: 'request 2: it is asked later: the same command continues',
    });
    const sent = sandbox.requests().length;
    for (const wait of [0, HOUR_MS - 1]) {
      await sandbox.clock.advance(wait);
      expect(about(await ask())?.verdict).toBe('silent');
      expect(sandbox.requests()).toHaveLength(sent);
    }
    expect(collections(sandbox)).toHaveLength(1);
    await sandbox.clock.advance(1);
    for (let again = 0; again < 2; again += 1) {
      expect(about(await ask())).toMatchObject({
        verdict: 'held',
        fact: { name: 'key after an hour', value: 'remembered' },
      });
      expect(sandbox.requests()).toHaveLength(sent + 1);
    }
    const [one, other] = collections(sandbox);
    expect(other?.body).toEqual(one?.body);
    expect(other?.headers['idempotency-key']).toBe(one?.headers['idempotency-key']);
    expect(unplannedOf(plan, sandbox.requests(), journal)).toEqual([]);
  });

  it.each([
    ['DUPLICATE_REFERENCE', 'a key is forgotten after an hour, and the reference alone is known'],
    ['errors.reference', 'a key is forgotten after an hour, and the reference alone is known'],
    ['accepted', 'a key is forgotten after an hour, and the same collection is made again'],
  ] as const)('shows that a key is forgotten if a used reference gives %s', async (reference, says) => {
    const profile = profileWith({ 'key after an hour': 'forgotten', 'repeated reference': reference });
    const sandbox = await startSandbox({ clock: 'manual', profile });
    const baseUrl = await withStatusQuery(sandbox, 'pending');
    const journal = ownJournal();
    const fact = { name: 'key after an hour', value: 'forgotten' };
    expect(about(await conclusionsAfterAnHour(sandbox, plan, journal, { baseUrl }))).toMatchObject({
      verdict: 'differs',
      says,
      fact,
    });
    expect(unplannedOf(plan, sandbox.requests(), journal)).toEqual([]);
  });

  it.each([
    ['an hour', 'remembered', HOUR_MS, 'pending', 'held'],
    ['thirteen hours', 'remembered', 13 * HOUR_MS, 'pending', 'held'],
    ['thirteen hours', 'forgotten', 13 * HOUR_MS, 'pending', 'silent'],
    ['an hour', 'forgotten', HOUR_MS, 'expired', 'differs'],
    ['an hour', 'forgotten', HOUR_MS, undefined, 'differs'],
  ] as const)(
    'teaches after %s nothing but what is sure: %s, after %i ms, %s',
    async (_, memory, waitMs, status, verdict) => {
      const profile = profileWith({ 'key after an hour': memory });
      const sandbox = await startSandbox({ clock: 'manual', profile });
      const query = status && { baseUrl: await withStatusQuery(sandbox, status) };
      const found = about(
        await conclusionsAfterAnHour(sandbox, status ? plan : withoutStatus, ownJournal(), {
          ...query,
          waitMs,
        }),
      );
      expect([found?.verdict, found?.fact?.value]).toEqual([
        verdict,
        verdict === 'held' ? 'remembered' : undefined,
      ]);
      if (verdict === 'silent') expect(found?.says).toContain('after 13 hours');
      if (verdict === 'differs') expect(found?.says).toContain('or the first payment may have ended unpaid');
    },
  );
});

describe('nestjs-payments conformance --after-an-hour', () => {
  beforeAll(bundleCli);

  it('says when to ask again, and then the same command continues and writes its files', async () => {
    const sandbox = await startSandbox({ clock: 'manual' });
    const folder = ownFolder();
    const run = (...more: string[]) =>
      runCommand(
        ['conformance', '--phone', '255712345678', '--max-amount', '50', '--after-an-hour', ...more],
        {
          folder,
          environment: environmentOf(sandbox),
        },
      );
    expect((await run('--plan')).stdout).toContain('The run says when to run the same command again');
    const first = await run('--out', 'gateway.json');
    expect(first.code).toBe(1);
    expect(first.stderr).toMatch(
      /Ask again within a quarter of an hour after \d\d:\d\d: the same command continues with .*conformance\.jsonl/,
    );
    expect(first.stdout).toMatch(/held +DUPLICATE_REQUEST for the same key and collection +request_id/);
    expect(readdirSync(folder)).toEqual(['conformance.jsonl']);
    const sent = sandbox.requests().length;
    expect((await run('--out', 'gateway.json')).code).toBe(1);
    expect(sandbox.requests()).toHaveLength(sent);
    anHourEarlier(join(folder, 'conformance.jsonl'));
    const second = await run('--out', 'gateway.json');
    expect([second.code, second.stderr]).toEqual([0, expect.stringContaining('Every request is in')]);
    expect(second.stdout).toMatch(/held +DUPLICATE_REQUEST for the same key and collection an hour later/);
    expect(sandbox.requests()).toHaveLength(sent + 1);
    expect(readFileSync(join(folder, 'gateway.json'), 'utf8')).toContain('"key after an hour": "remembered"');
    expect(existsSync(join(folder, 'conformance.jsonl'))).toBe(false);
  });

  it('is not together with --listen, whose webhooks one run hears', async () => {
    const folder = ownFolder();
    const sandbox = await startSandbox();
    const { code, stderr } = await runCommand(
      ['conformance', '--after-an-hour', '--listen', '0', '--public-url', 'https://shop.example/hooks'],
      { folder, environment: environmentOf(sandbox) },
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining('--after-an-hour needs two')]);
  });
});
