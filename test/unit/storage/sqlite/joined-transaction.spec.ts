import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { checkedTransaction } from '../../../../lib/storage/sqlite/joined-transaction.js';

const FILE = fileURLToPath(import.meta.url);

it('knows the file of a connection whose statements give arrays, until one is told otherwise', () => {
  let givesArrays = true;
  const connection = {
    exec: () => {
      throw new Error('cannot start a transaction within a transaction');
    },
    prepare: () => ({
      setReturnArrays: (enabled: boolean) => {
        givesArrays = enabled;
      },
      all: () => [givesArrays ? [0, 'main', FILE] : { seq: 0, name: 'main', file: FILE }],
    }),
  };
  expect(checkedTransaction(connection, FILE)).toBe(connection);
});
