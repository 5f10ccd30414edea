import { describe, expect, it } from 'vitest';
import { memoryStorage, type PaymentsStorage } from 'nestjs-payments';
import { resolveRegistration } from '../../../lib/config/resolve-options.js';
import { resolveResolverOptions } from '../../../lib/config/resolve-accounts.js';

const keys = { apiKey: 'pk_test_4f9a2c7e1b', apiSecret: 'sk_test_4f9a2c7e1b' };
const baseUrl = 'https://gateway.example/api/v1';
const limits = { disbursement: { perDay: { count: 10 } } };
const accounts = { resolve: () => undefined };

/** A storage of an application, as it was before there were caps. */
function ownStorage(): PaymentsStorage {
  const storage = memoryStorage();
  const { dailyCaps: _none, ...journal } = storage.journal;
  return { ...storage, name: 'documents', journal };
}

describe('a cap of a day on a storage that counts no payments', () => {
  const problem =
    '`limits.disbursement.perDay` needs a storage that counts payments, and the journal of "documents" has no dailyCaps';

  it.each([
    ['of an account', { ...keys, baseUrl, limits }],
    ['of all accounts of a resolver', { accounts, baseUrl, limits }],
  ])('stops the boot, if it is %s', (_, options) => {
    expect(() => resolveRegistration({ ...options, storage: ownStorage() }, 'default')).toThrow(problem);
    expect(() => resolveRegistration({ ...options, storage: memoryStorage() }, 'default')).not.toThrow();
    expect(() => resolveRegistration(options, 'default')).not.toThrow();
  });

  it('is a wrong answer of a resolver', () => {
    const { optionsOf } = resolveResolverOptions({ accounts, baseUrl, storage: ownStorage() }, 'default');
    expect(() => optionsOf({ ...keys, limits }, 'shop')).toThrow(
      'of account "shop" needs a storage that counts',
    );
    expect(() => optionsOf({ ...keys, limits: { collection: { max: '5' } } }, 'shop')).not.toThrow();
  });
});
