import { expect, it } from 'vitest';
import { resolveSandboxOptions } from '../../../lib/sandbox/resolve-sandbox-options.js';
import { type PaymentsSandboxOptions } from '../../../lib/sandbox/sandbox-options.js';

const DEFAULTS = {
  startingBalanceCents: 100_000_000n,
  fees: { collectionBasisPoints: 200n, payoutCents: 50_000n },
  expireAfterMs: 900_000,
};

it.each<[PaymentsSandboxOptions, settings: object]>([
  [{}, DEFAULTS],
  [{ startingBalance: 0 }, { ...DEFAULTS, startingBalanceCents: 0n }],
  [{ startingBalance: '9999999999999.99' }, { ...DEFAULTS, startingBalanceCents: 10n ** 15n - 1n }],
  [{ expireAfter: '2h' }, { ...DEFAULTS, expireAfterMs: 7_200_000 }],
  [{ expireAfter: 0 }, { ...DEFAULTS, expireAfterMs: 0 }],
  [{ fees: {} }, DEFAULTS],
  [
    { fees: { collectionPercent: 1.25 } },
    { ...DEFAULTS, fees: { ...DEFAULTS.fees, collectionBasisPoints: 125n } },
  ],
  [{ fees: { payout: '0.50' } }, { ...DEFAULTS, fees: { ...DEFAULTS.fees, payoutCents: 50n } }],
])('reads %j as amounts in cents and times in milliseconds', (options, settings) => {
  expect(resolveSandboxOptions(options).gateway).toEqual(settings);
});

it.each<[option: string, PaymentsSandboxOptions]>([
  ['startingBalance', { startingBalance: '-1' }],
  ['startingBalance', { startingBalance: '10000000000000.00' }],
  ['startingBalance', { startingBalance: 10n ** 18n }],
  ['fees.collectionPercent', { fees: { collectionPercent: -1 } }],
  ['fees.payout', { fees: { payout: 'much' } }],
  ['fees.payout', { fees: { payout: 10n ** 13n } }],
  ['expireAfter', { expireAfter: -1 }],
  ['webhookTimeoutMs', { webhookTimeoutMs: 0 }],
])('refuses a wrong %s by its name', (option, options) => {
  expect(() => resolveSandboxOptions(options)).toThrow(`Sandbox option ${option} must be `);
});
