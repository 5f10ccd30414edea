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
  "SELECT E'a\\''; COMMIT; SELECT 'x'",
  "SELECT e'it''s \\\\'; COMMIT; SELECT 'x'",
  "SELECT 'a\\'; COMMIT; SELECT 'x'",
  "SELECT name'a\\'; COMMIT; SELECT 'x'",
  "SELECT naïve'a\\'; COMMIT; SELECT 'x'",
  "SELECT E'a'\n  'b\\''; COMMIT; SELECT 'x'",
  "SELECT ARRAY[']']; COMMIT; SELECT '['",
  'SELECT 1 AS a$x$; COMMIT; SELECT 1 AS b$x$',
])('sees that %s begins or ends a transaction', (text) => {
  expect(endsTransaction(text, 'postgres')).toBe(true);
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
  "SELECT E'a\\'; COMMIT'",
])('lets %s through', (text) => {
  expect(endsTransaction(text, 'postgres')).toBe(false);
});

it.each(["SELECT e'a\\'; COMMIT; SELECT 'x'", 'SELECT $$; COMMIT; SELECT $$', 'SELECT 1; END'])(
  'sees that %s ends a transaction in SQLite',
  (text) => {
    expect(endsTransaction(text, 'sqlite')).toBe(true);
  },
);

it.each(['SELECT [; COMMIT]', 'SELECT `; COMMIT`', 'SELECT "; COMMIT", \'; COMMIT\' -- ; COMMIT'])(
  'lets %s through in SQLite',
  (text) => {
    expect(endsTransaction(text, 'sqlite')).toBe(false);
  },
);

it.each([
  'COMMIT',
  '/*!COMMIT*/',
  '/*!50000 COMMIT */',
  '/*M! COMMIT */',
  '# note\nCOMMIT',
  "SELECT 'it\\'s'; COMMIT",
  'BEGIN',
  'ROLLBACK',
  'CREATE TABLE a (b INT)',
  'CREATE OR REPLACE TABLE a (b INT)',
  'DROP TABLE a',
  'ALTER TABLE a ADD b INT',
  'TRUNCATE a',
  'RENAME TABLE a TO b',
  'LOCK TABLES a WRITE',
  'UNLOCK TABLES',
  "GRANT ALL ON a TO 'b'",
  'OPTIMIZE TABLE a',
  'FLUSH TABLES',
  "XA START 'x'",
  'SET autocommit = 1',
  'SET @@SESSION.autocommit = ON',
  'set @a = 1, autocommit = 1',
  'SET STATEMENT max_statement_time = 1 FOR COMMIT',
  "/*M! set statement sql_mode = 'a for b', lock_wait_timeout = 2\n for */ TRUNCATE a",
  'SELECT 1; SET STATEMENT max_statement_time = 1 FOR ROLLBACK',
  'SET STATEMENT a = 1 FOR SET STATEMENT b = 1 FOR COMMIT',
  'SET STATEMENT a = (SELECT 1 FROM b FOR UPDATE) FOR COMMIT',
])('sees that %s ends a transaction in MySQL', (text) => {
  expect(endsTransaction(text, 'mysql')).toBe(true);
});

it.each([
  'SELECT 1 /* COMMIT */',
  "SELECT 'a\\'; COMMIT'",
  "SELECT '# a'; SELECT 1",
  'SELECT 1 # ; COMMIT',
  'CREATE TEMPORARY TABLE a (b INT)',
  'CREATE OR REPLACE TEMPORARY TABLE a (b INT)',
  'DROP TEMPORARY TABLE a',
  'SAVEPOINT part',
  'ROLLBACK TO SAVEPOINT part',
  'SET @total = 1',
  '/*M! SET STATEMENT innodb_lock_wait_timeout = 2, lock_wait_timeout = 2 FOR */ INSERT INTO a VALUES (1)',
  'SET STATEMENT max_statement_time = 1 FOR SELECT 1 FROM a FOR UPDATE',
  'SET STATEMENT max_statement_time = 1 FOR ROLLBACK TO part',
  'SELECT `commit` FROM a',
  'UPDATE a SET autocommit = 1',
])('lets %s through in MySQL', (text) => {
  expect(endsTransaction(text, 'mysql')).toBe(false);
});
