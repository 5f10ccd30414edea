import { expect, it } from 'vitest';
import { readStatements } from '../../../../lib/storage/postgres/transaction-statements.js';

const steps = (text: string): string[] | undefined => readStatements(text)?.map(({ step }) => step.does);

it.each([
  ['BEGIN', 'begin'],
  ['BEGIN;', 'begin'],
  [' \n\tbegin work ; ', 'begin'],
  ['Begin Transaction', 'begin'],
  ['START TRANSACTION', 'begin'],
  ['/* of an ORM /* nested */ */ -- and a line\nSTART /* x */ TRANSACTION', 'begin'],
  ['COMMIT', 'commit'],
  ['commit;', 'commit'],
  ['COMMIT WORK', 'commit'],
  ['COMMIT TRANSACTION AND NO CHAIN', 'commit'],
  ['END', 'commit'],
  ['end work', 'commit'],
  ['ROLLBACK', 'rollback'],
  ['ROLLBACK TRANSACTION', 'rollback'],
  [';;ROLLBACK', 'rollback'],
  ['ABORT', 'rollback'],
  ['SET TRANSACTION READ ONLY', 'set'],
  ['SET LOCAL TRANSACTION ISOLATION LEVEL SERIALIZABLE', 'set'],
  ['set session transaction not deferrable', 'set'],
  ["PREPARE TRANSACTION 'x'", 'prepare'],
])('sees in %j a statement that does: %s', (text, does) => {
  expect(steps(text)).toEqual([does]);
});

it.each([
  ['SELECT 1'],
  ["COMMIT PREPARED 'x'"],
  ["ROLLBACK PREPARED 'x'"],
  ['PREPARE plan AS SELECT 1'],
  ['SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY'],
  ["SET TRANSACTION SNAPSHOT '1'"],
  ["SET transaction = 'x'"],
  ["UPDATE orders SET state = 'commit'"],
  ['SELECT 1 AS begin'],
  ['SELECT CASE WHEN true THEN 1 END'],
  ["SELECT '; COMMIT'"],
  ["SELECT 'it''s; COMMIT'"],
  ["SELECT E'\\'; COMMIT'"],
  ['SELECT "; COMMIT"'],
  ['SELECT $$; COMMIT $$'],
  ['SELECT $tag$; COMMIT $$ ; END $tag$'],
  ['SELECT 1 -- ; COMMIT'],
  ['SELECT 1 /* ; COMMIT /* ; END */ ; COMMIT */'],
  ['SELECT a$b$ FROM t WHERE c = 1 -- $b$; COMMIT'],
  ['DO $$ BEGIN PERFORM 1; END $$'],
  ['CREATE FUNCTION one() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; END'],
  ['CREATE OR REPLACE PROCEDURE nothing() LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT 2; END;'],
  ["CREATE RULE note AS ON INSERT TO orders DO ALSO (SELECT 'begin'; SELECT 2)"],
  ["SELECT 'begin"],
  ['SELECT "begin'],
  ['SELECT $$ begin'],
  ['SELECT /* begin'],
  ['-- begin'],
  [''],
])('sees nothing about transactions in %j', (text) => {
  expect(steps(text)).toBeUndefined();
});

it.each([
  ['BEGIN; SELECT 1; COMMIT', ['BEGIN', 'SELECT 1', 'COMMIT']],
  ["COMMIT;;-- again\n BEGIN ; SELECT ';'", ['COMMIT', 'BEGIN', "SELECT ';'"]],
  ['SELECT (1); END', ['SELECT (1)', 'END']],
  [
    'CREATE PROCEDURE p() BEGIN ATOMIC SELECT 1; END; COMMIT',
    ['CREATE PROCEDURE p() BEGIN ATOMIC SELECT 1; END', 'COMMIT'],
  ],
  ['SELECT $1; COMMIT', ['SELECT $1', 'COMMIT']],
  ['SELECT $$a$$; COMMIT', ['SELECT $$a$$', 'COMMIT']],
  ["SELECT '\\'; COMMIT", ["SELECT '\\'", 'COMMIT']],
])('splits %j', (text, expected) => {
  expect(readStatements(text)?.map((statement) => statement.text)).toEqual(expected);
});

it.each([
  ['BEGIN', {}],
  ['BEGIN ISOLATION LEVEL SERIALIZABLE', { isolation: 'SERIALIZABLE' }],
  [
    'begin transaction isolation level repeatable read, read only, not deferrable',
    { isolation: 'REPEATABLE READ', access: 'READ ONLY' },
  ],
  ['START TRANSACTION READ WRITE', { access: 'READ WRITE' }],
  ['SET TRANSACTION ISOLATION LEVEL READ COMMITTED;', { isolation: 'READ COMMITTED' }],
  [
    'SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED READ ONLY',
    { isolation: 'READ COMMITTED', access: 'READ ONLY' },
  ],
])('reads the modes of %j', (text, modes) => {
  expect(readStatements(text)).toEqual([
    { text: text.replace(';', ''), step: { does: text.startsWith('SET') ? 'set' : 'begin', modes } },
  ]);
});

it.each([
  ['COMMIT', false],
  ['COMMIT AND NO CHAIN', false],
  ['COMMIT AND CHAIN', true],
  ['ROLLBACK WORK AND CHAIN', true],
])('reads whether %j begins again', (text, chains) => {
  expect(readStatements(text)?.[0]?.step).toMatchObject({ chains });
});

it.each([
  ['SAVEPOINT part', 'savepoint', 'part'],
  ['savepoint Part;', 'savepoint', 'part'],
  ['RELEASE SAVEPOINT part', 'release', 'part'],
  ['RELEASE "Part ""1"', 'release', 'Part "1'],
  ['ROLLBACK TO part', 'undo', 'part'],
  ['ROLLBACK TO SAVEPOINT "part" -- of "mine"', 'undo', 'part'],
  ['ROLLBACK WORK TO part', 'undo', 'part'],
])('reads the savepoint of %j', (text, does, name) => {
  expect(readStatements(text)?.map(({ step }) => step)).toEqual([{ does, name }]);
});
