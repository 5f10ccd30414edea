import { expect, it } from 'vitest';
import { endsTransaction } from '../../../../lib/storage/sql/ends-transaction.js';

it.each([
  'COMMIT',
  ' commit work',
  'ROLLBACK',
  'ROLLBACK AND CHAIN',
  'END',
  'ABORT',
  'BEGIN',
  'START TRANSACTION',
  "PREPARE TRANSACTION 'x'",
  '/* all */ ROLLBACK -- now',
  "UPDATE a SET b = 'x;'; COMMIT",
  'SELECT $$a$$; COMMIT',
])('sees that %s begins or ends a transaction', (text) => {
  expect(endsTransaction(text)).toBe(true);
});

it.each([
  'SELECT 1',
  'ROLLBACK TO SAVEPOINT typeorm_1',
  'ROLLBACK WORK TO part',
  'SAVEPOINT part',
  'RELEASE SAVEPOINT part',
  "SELECT '; COMMIT'",
  'UPDATE "; COMMIT" SET a = 1',
  'UPDATE a SET b = 1 -- ; COMMIT',
  'CREATE FUNCTION f() RETURNS void AS $body$ BEGIN; COMMIT; END $body$',
  'SELECT CASE WHEN a THEN b END',
  'PREPARE a AS SELECT 1',
])('lets %s through', (text) => {
  expect(endsTransaction(text)).toBe(false);
});
