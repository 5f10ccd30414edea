import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  ALL_INPUTS,
  DOCUMENTED_FACTS,
  planRun,
  conclusionsAfterAnHour,
  conclusionsOf,
  HOUR_INPUTS,
  factsOf,
  gatewayOf,
  ownFolder,
  unplannedOf,
  WIDE_CAPS,
} from '../../../support/conformance-run.js';
import { startSandbox } from '../../../support/sandbox.js';

describe('a run against the documented emulator', () => {
  it('learns every documented fact, and asks only what is planned', async () => {
    const sandbox = await startSandbox({ clock: 'manual' });
    sandbox.directory.register(ALL_INPUTS.bankAccount!, ALL_INPUTS.accountName!);
    const plan = planRun(HOUR_INPUTS, WIDE_CAPS);
    const journal = join(ownFolder(), 'journal.jsonl');
    const conclusions = await conclusionsAfterAnHour(sandbox, plan, journal);
    expect(Object.fromEntries(factsOf(conclusions))).toEqual(Object.fromEntries(DOCUMENTED_FACTS));
    // The emulator has no status query.
    const differing = conclusions.filter(({ verdict }) => verdict === 'differs');
    expect(differing.map(({ question }) => question)).toEqual([
      'status of a collection',
      'status of a payout',
      'unknown answers',
    ]);
    expect(unplannedOf(plan, sandbox.requests(), journal)).toEqual([]);
    expect(statSync(journal).mode & 0o777).toBe(0o600);
    const text = readFileSync(journal, 'utf8');
    for (const secret of ['k_test_', '25571', '7770001111', '9990000404', 'Amani', 'Conformance Check', '@'])
      expect(text).not.toContain(secret);
  });

  it('stays within its caps, and names what it left out', async () => {
    const sandbox = await startSandbox();
    const plan = planRun({ ...ALL_INPUTS, amountCents: 100 }, { maxRequests: 20, maxAmountCents: 500 });
    const conclusions = await conclusionsOf(gatewayOf(sandbox), plan);
    expect(sandbox.requests().length).toBeLessThanOrEqual(20);
    const moved = [...sandbox.payments(), ...sandbox.payouts()].map(({ amount }) => Number(amount));
    expect(moved.reduce((sum, amount) => sum + amount, 0)).toBeLessThanOrEqual(5);
    const leftOut = conclusions.filter(
      ({ verdict, says }) => verdict === 'silent' && says.startsWith('would'),
    );
    expect(leftOut.length).toBeGreaterThan(5);
  });

  it('sends nothing with a key that is no test key', async () => {
    const sandbox = await startSandbox();
    for (const live of [{ apiKey: 'pk_live_asker' }, { apiSecret: 'sk_live_asker' }, { apiKey: '' }])
      await expect(conclusionsOf({ ...gatewayOf(sandbox), ...live })).rejects.toThrow(/nothing was sent/);
    expect(sandbox.requests()).toEqual([]);
  });
});
