import { describe, expect, it } from 'vitest';
import { inspect } from 'node:util';
import { inProcess } from 'nestjs-payments/batches';
import { resolveBatchesOptions } from '../../../lib/batches/payout-batches-options.js';
import { resolveReconciliationOptions } from '../../../lib/reconciliation/reconciliation-options.js';
import { resolveQueueOptions } from '../../../lib/integrations/bullmq/resolve-queue-options.js';
import { resolveOptions, resolveRegistration } from '../../../lib/config/resolve-options.js';
import { resolveSandboxOptions } from '../../../lib/sandbox/resolve-sandbox-options.js';
import { resolveHealthOptions } from '../../../lib/integrations/terminus/payments-health-options.js';
import { hmac } from '../../../lib/webhooks/signature/hmac-scheme.js';
import { type DocumentedDefault, documentedDefaults } from '../../support/documented-defaults.js';

interface OptionsKind {
  readonly name: string;
  readonly files: readonly string[];
  /** Everything that must be there for the documented options to count. */
  readonly required: Readonly<Record<string, unknown>>;
  readonly resolve: (options: Record<string, unknown>) => unknown;
  readonly atLeast: number;
}

const scheme = hmac({ header: 'x-signature', algorithm: 'sha256', encoding: 'hex', payload: ['body'] });

const KINDS: readonly OptionsKind[] = [
  {
    name: 'PaymentsModuleOptions',
    files: ['lib/config/payments-options.ts', 'lib/config/webhook-options.ts'],
    required: {
      baseUrl: 'https://gateway.example/api/v1',
      apiKey: 'pk_test_shop',
      apiSecret: 'sk_test_shop',
      banks: {},
      webhooks: { scheme, secrets: ['a-secret-of-an-invented-shop'] },
    },
    resolve: (options) => resolveOptions(options),
    atLeast: 22,
  },
  {
    name: 'PaymentsAccountsOptions',
    files: ['lib/config/accounts-options.ts'],
    required: { resolve: () => undefined },
    resolve: (accounts) =>
      resolveRegistration({ baseUrl: 'https://gateway.example/api/v1', accounts }, 'default'),
    atLeast: 4,
  },
  {
    name: 'PaymentsSandboxOptions',
    files: ['lib/sandbox/sandbox-options.ts'],
    required: { seed: 1 },
    resolve: (options) => resolveSandboxOptions(options),
    atLeast: 11,
  },
  {
    name: 'PaymentsQueueOptions',
    files: ['lib/integrations/bullmq/payments-queue-options.ts'],
    required: { connection: { host: '127.0.0.1' } },
    resolve: (options) => resolveQueueOptions(options, 'payments-webhooks', undefined),
    atLeast: 7,
  },
  {
    name: 'PayoutBatchesOptions',
    files: ['lib/batches/payout-batches-options.ts', 'lib/batches/policy/batch-policy.ts'],
    required: { engine: inProcess() },
    resolve: (options) => resolveBatchesOptions(options),
    atLeast: 12,
  },
  {
    name: 'ReconciliationOptions',
    files: ['lib/reconciliation/reconciliation-options.ts', 'lib/reconciliation/reconciliation-policy.ts'],
    required: {},
    resolve: (options) => resolveReconciliationOptions(options),
    atLeast: 4,
  },
  {
    name: 'PaymentsHealthOptions',
    files: ['lib/integrations/terminus/payments-health-options.ts'],
    required: {},
    resolve: (options) => resolveHealthOptions(options),
    atLeast: 4,
  },
];

/** A copy of the options with one of them written out. */
function withOption(
  options: Readonly<Record<string, unknown>>,
  [name, ...rest]: readonly string[],
  value: unknown,
): Record<string, unknown> {
  if (name === undefined) return { ...options };
  const inner = (options[name] ?? {}) as Readonly<Record<string, unknown>>;
  return { ...options, [name]: rest.length === 0 ? value : withOption(inner, rest, value) };
}

describe.each(KINDS)('the documentation of $name', ({ name, files, required, resolve, atLeast }) => {
  const documented = documentedDefaults(files, name);
  // As text: a resolver makes new functions at every call.
  const resolved = (options: Record<string, unknown>): string => inspect(resolve(options), { depth: null });
  const leftOut = resolved({ ...required });

  it('names defaults as values', () => {
    expect(documented.length).toBeGreaterThanOrEqual(atLeast);
  });

  it.each(documented.map(({ path, value }) => ({ path, value, option: path.join('.') })))(
    'says rightly that leaving $option out is the same as $value',
    ({ path, value }: DocumentedDefault) => {
      expect(resolved(withOption(required, path, value))).toBe(leftOut);
      if (typeof value === 'number') {
        expect(resolved(withOption(required, path, value + 1))).not.toBe(leftOut);
      }
    },
  );
});
