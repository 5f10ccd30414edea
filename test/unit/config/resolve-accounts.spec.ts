import { describe, expect, it } from 'vitest';
import { resolveRegistration } from '../../../lib/config/resolve-options.js';
import { memoryStorage } from '../../../lib/storage/memory/memory-storage.js';

const keys = { apiKey: 'pk_test_demo', apiSecret: 'sk_test_demo' };

/** The options of a class, which a copy alone would lose. */
const byClass = (max: string) =>
  new (class {
    get disbursement() {
      return new (class {
        get max() {
          return max;
        }
        get perDay() {
          return { count: 9 };
        }
      })();
    }
  })();
const onePerSecond = new (class {
  get perSecond() {
    return 1;
  }
})();

function accountOf(shared: object, own: object) {
  const accounts = { resolve: () => undefined };
  const options = { baseUrl: 'http://localhost:3000/api/v1', storage: memoryStorage(), ...shared, accounts };
  const registration = resolveRegistration(options, 'default');
  if (!('optionsOf' in registration)) throw new Error('It has no accounts.');
  return registration.optionsOf({ ...keys, ...own }, 'tenant-7');
}

describe('an account of a resolver has the caps and rates', () => {
  it.each<[string, object, object]>([
    ['of all', { limits: byClass('1000.00') }, {}],
    [
      'of all beside one of its own',
      { limits: byClass('1000.00') },
      { limits: { collection: { max: '5.00' } } },
    ],
    ['that it lowers', { limits: { disbursement: { max: '9000.00' } } }, { limits: byClass('1000.00') }],
    ['of its own alone', {}, { limits: byClass('1000.00') }],
    ['that replace those of a class', { limits: byClass('9000.00') }, { limits: byClass('1000.00') }],
  ])('%s, which are getters of a class', (_, shared, own) => {
    expect(accountOf(shared, own)?.limits.disbursement).toMatchObject({
      maxCents: 100_000n,
      perDay: { maxCount: 9 },
    });
  });

  it.each<[string, object, object]>([
    ['of all', { rate: onePerSecond }, {}],
    ['of its own', { rate: { perSecond: 5 } }, { rate: onePerSecond }],
  ])('%s, as a getter of a class', (_, shared, own) => {
    expect(accountOf(shared, own)?.rate).toEqual({ perSecond: 1, concurrency: 250 });
  });
});
