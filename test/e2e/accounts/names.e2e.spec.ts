import { expect, it, vi } from 'vitest';
import { Test } from '@nestjs/testing';
import fc from 'fast-check';
import { memoryStorage, PaymentsAccounts, PaymentsModule, PaymentsValidationError } from 'nestjs-payments';
import { keysOf } from '../../support/merchants.js';

const ODD = [
  '',
  '.',
  '..',
  '../shop',
  '..%2Fshop',
  'shop\n',
  ' shop',
  'a/b',
  'a\0b',
  'caf\u00e9',
  '\uff53hop',
  'sh\u200bop',
  'x'.repeat(10_240),
];
/** What the documents say of a name. */
const isName = (value: unknown): boolean =>
  typeof value === 'string' && /^[A-Za-z0-9_.-]{1,64}$/.test(value) && value !== '.' && value !== '..';
const anything = fc.oneof(
  fc.constantFrom(...ODD),
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.anything(),
);

it('a name that is no id is refused, not repeated, and reaches neither the resolver nor the storage', async () => {
  const resolve = vi.fn(keysOf);
  const { journal, inbox, conflicts, name } = memoryStorage();
  const touched: PropertyKey[] = [];
  const watched = <T extends object>(part: T): T =>
    new Proxy(part, {
      get: (target, key) => {
        if (key !== 'then') touched.push(key);
        return Reflect.get(target, key) as unknown;
      },
    });
  const storage = { name, journal: watched(journal), inbox: watched(inbox), conflicts: watched(conflicts) };
  const module = await Test.createTestingModule({
    imports: [
      PaymentsModule.forRoot({ baseUrl: 'http://127.0.0.1:1/api/v1', storage, accounts: { resolve } }),
    ],
  }).compile();
  const app = await module.init();
  const accounts = app.get(PaymentsAccounts);
  touched.length = 0;
  fc.assert(
    fc.property(
      anything.filter((value) => !isName(value)),
      (value) => {
        for (const use of [
          () => accounts.for(value as string),
          () => {
            accounts.forget(value as string);
          },
        ]) {
          expect(use).toThrow(PaymentsValidationError);
          expect(use).toThrow(
            /^The call is wrong: account must be a text of 1 to 64 letters, digits, dots, dashes or underscores, but not "." or "\.\."$/,
          );
        }
      },
    ),
    { numRuns: 500 },
  );
  expect(resolve).not.toHaveBeenCalled();
  expect(touched).toEqual([]);
  // A hundred cold accounts with two calls at once ask once each.
  const names = Array.from({ length: 100 }, (_, index) => `shop-${index}`);
  await Promise.all(
    names.flatMap((one) => [1, 2].map(() => accounts.for(one).journal.get('collection', 'order-1'))),
  );
  expect(resolve).toHaveBeenCalledTimes(names.length);
  await app.close();
});
