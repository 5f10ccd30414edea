import { describe, expect, it } from 'vitest';
import { type WebhookScheme } from '../../../lib/common/webhook-scheme.js';
import { resolveOptions, resolveRegistration } from '../../../lib/config/resolve-options.js';
import { type ResolvedResolverOptions } from '../../../lib/config/resolve-accounts.js';
import { optionMessages } from '../../../lib/errors/wrong-options.js';
import { PaymentsConfigError } from '../../../lib/errors/payments-errors.js';

const scheme: WebhookScheme = { name: 'test', verify: () => ({ ok: false, reason: 'test' }) };
const value = 'whsec-0123456789abcdef';
const webhooks = { scheme, secrets: [value] };
const baseUrl = 'https://gateway.example/api/v1';
const keys = { apiKey: 'pk_test_canarykey', apiSecret: 'sk_test_canarysecret' };
const one = { baseUrl, ...keys };
const all = { baseUrl, webhooks: { scheme }, accounts: { resolve: () => keys } };
const LIMITS = { disbursement: { max: '100' } };

function refused(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof PaymentsConfigError) return optionMessages(error);
    throw error;
  }
  return [];
}
const boot = (options: object): readonly string[] => refused(() => resolveRegistration(options, 'default'));
const returned = (row: unknown): readonly string[] => {
  const registration = resolveRegistration(all, 'default') as ResolvedResolverOptions;
  return refused(() => registration.optionsOf(row, 'shop'));
};

describe('a misspelled option stops the boot', () => {
  it.each<[name: string, written: unknown, meant: string]>([
    ['limit', LIMITS, 'limits'],
    ['maxInflight', 5, 'maxInFlight'],
    ['statusPath', { collection: '/payments/{reference}' }, 'statusPaths'],
    ['storge', {}, 'storage'],
    ['network', ['NET_ONE'], 'networks'],
    ['webhook', webhooks, 'webhooks'],
    ['account', { resolve: () => keys }, 'accounts'],
    ['nane', 'payouts', 'name'],
    ['isglobal', true, 'isGlobal'],
    ['limit', undefined, 'limits'],
    ['limit', null, 'limits'],
  ])('%s: %j', (name, written, meant) => {
    const message = `Payments option \`${name}\` does not exist: did you mean \`${meant}\`?`;
    expect(boot({ ...one, [name]: written })).toEqual([message]);
    expect(boot({ ...all, [name]: written })).toEqual([message]);
  });

  it.each<[name: string, written: unknown, meant: string]>([
    ['unknownReference', 'set-aside', 'unknownReferences'],
    ['retentionDay', Infinity, 'retentionDays'],
    ['maxInflight', undefined, 'maxInFlight'],
  ])('webhooks.%s: %j', (name, written, meant) => {
    const message = `Payments option \`webhooks.${name}\` does not exist: did you mean \`webhooks.${meant}\`?`;
    expect(boot({ ...one, webhooks: { ...webhooks, [name]: written } })).toEqual([message]);
    expect(boot({ ...all, webhooks: { scheme, [name]: written } })).toEqual([message]);
  });

  it('of a secret, which would be valid for ever', () => {
    const secrets = [value, { value, notafter: '2026-01-01' }];
    expect(boot({ ...one, webhooks: { scheme, secrets } })).toEqual([
      'Payments option `webhooks.secrets[1].notafter` does not exist: did you mean `webhooks.secrets[1].notAfter`?',
    ]);
  });

  it('with its account, beside other wrong options, and without what was written', () => {
    const messages = refused(() =>
      resolveOptions(
        { ...one, timeoutMs: 0, limit: 'canary', webhooks: { ...webhooks, secret: 'canary' } },
        'payouts',
      ),
    );
    expect(messages).toEqual([
      expect.stringMatching(/^Payments option `timeoutMs` of account "payouts" must be/),
      'Payments option `limit` of account "payouts" does not exist: did you mean `limits`?',
      'Payments option `webhooks.secret` of account "payouts" does not exist: did you mean `webhooks.secrets`?',
    ]);
    expect(messages.join()).not.toContain('canary');
  });

  it('with all names, if none is close', () => {
    expect(boot({ ...one, database: {} })).toEqual([
      expect.stringMatching(
        /^Payments option `database` does not exist: a factory returns nothing but options, so no instance with fields of its own\. Write one of auth, apiKey, .*, limits, .*, webhooks, accounts, name, isGlobal\.$/,
      ),
    ]);
  });

  it('in one error, if several names are of something else', () => {
    expect(boot({ ...one, id: 7, createdAt: 'today', maxInflight: 5 })).toEqual([
      'Payments option `maxInflight` does not exist: did you mean `maxInFlight`?',
      expect.stringMatching(/^Payments option `id` does not exist, nor do `createdAt`: a factory returns/),
    ]);
  });

  it.each(['name', 'isGlobal'])('and so does %s in the result of a factory', (name) => {
    expect(boot({ ...one, [name]: 'payouts' })).toEqual([
      `Payments option \`${name}\` is a setting of the module, not an option: write it beside the factory, not in its result.`,
    ]);
  });
});

describe('no misspelled option is', () => {
  class Options {
    readonly baseUrl = baseUrl;
    readonly apiKey = keys.apiKey;
    readonly apiSecret = keys.apiSecret;
    get limit(): object {
      return LIMITS;
    }
    describe(): string {
      return this.baseUrl;
    }
  }

  it.each<[string, object]>([
    ['a method or a getter of a class', new Options()],
    ['a symbol', { ...one, [Symbol('limit')]: LIMITS }],
    ['what is not enumerable', Object.defineProperty({ ...one }, 'limit', { value: LIMITS })],
    ['an option that is undefined', { ...one, accounts: undefined, webhooks: undefined, limits: undefined }],
  ])('%s', (_, options) => {
    expect(boot(options)).toEqual([]);
  });
});

describe('a misspelled option that a resolver returns is refused', () => {
  it.each<[name: string, written: unknown, meant: string]>([
    ['limit', LIMITS, 'limits'],
    ['acount', 'shop', 'account'],
    ['webhook', { secrets: [value] }, 'webhooks'],
    ['statusPath', undefined, 'statusPaths'],
    ['rates', null, 'rate'],
  ])('%s: %j', (name, written, meant) => {
    expect(returned({ ...keys, [name]: written })).toEqual([
      `Payments option \`${name}\` of account "shop" does not exist: did you mean \`${meant}\`?`,
    ]);
  });

  it('with what to return, if it is a column of a whole row', () => {
    expect(returned({ id: 'shop', ...keys, limits: null, timeoutMs: 5 })).toEqual([
      expect.stringMatching(/^Payments option `timeoutMs` of account "shop" is the same for all accounts/),
      'Payments option `id` of account "shop" does not exist: return no whole row from accounts.resolve, but these of it: ' +
        'account, apiKey, apiSecret, environment, auth, baseUrl, limits, networks, probe, rate, statusPaths, webhooks.',
    ]);
  });

  it.each([
    ['scheem', 'does not exist'],
    ['bodyLimit', 'is the same for all accounts'],
  ])('within webhooks: %s %s', (name, problem) => {
    expect(returned({ ...keys, webhooks: { secrets: [value], [name]: 1 } })).toEqual([
      `Payments option \`webhooks.${name}\` of account "shop" ${problem}: only webhooks.secrets differs by account.`,
    ]);
  });

  it('within webhooks, with the name that is meant and every other one', () => {
    expect(returned({ ...keys, webhooks: { secret: value, bodyLimit: 1 } })).toEqual([
      expect.stringMatching(/^Payments option `webhooks.bodyLimit` .* is the same for all accounts/),
      'Payments option `webhooks.secret` of account "shop" does not exist: did you mean `webhooks.secrets`?',
    ]);
  });

  it('but every option that may differ by account, and its name, is not', () => {
    const row = {
      account: 'shop',
      ...keys,
      environment: 'sandbox',
      auth: 'headers',
      baseUrl,
      limits: LIMITS,
    };
    const rest = { networks: ['NET'], probe: {}, rate: null, statusPaths: undefined, timeoutMs: undefined };
    expect(returned({ ...row, ...rest, webhooks: { secrets: [value] } })).toEqual([]);
  });
});
