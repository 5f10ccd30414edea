import { describe, expect, it } from 'vitest';
import { MYSQL_MIGRATIONS } from '../../../lib/storage/mysql/mysql-tables.js';
import { migrations } from '../../../lib/storage/postgres/migrations.js';
import { tableNames } from '../../../lib/storage/postgres/table-names.js';
import { SQLITE_MIGRATIONS } from '../../../lib/storage/sqlite/sqlite-tables.js';
import { type Migration, migrationScript } from '../../../lib/storage/storage-tables.js';

const LISTS: readonly (readonly [string, readonly Migration[]])[] = [
  ['PostgreSQL', migrations(tableNames('public'))],
  ['SQLite', SQLITE_MIGRATIONS],
  ['MySQL', MYSQL_MIGRATIONS],
];

/** A statement that takes nothing away from a build that does not know of it. */
const ADDS = [
  /^CREATE (TABLE|SEQUENCE|INDEX) /,
  /^COMMENT ON /,
  // A column that an older build leaves out: it may be empty, or has a default.
  /^ALTER TABLE \S+ ADD COLUMN (?!.*NOT NULL)/,
  /^ALTER TABLE \S+ ADD COLUMN (?=.*NOT NULL)(?=.*DEFAULT )/,
];
const statementsOf = (text: string): readonly string[] =>
  text
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '');
const isAddition = (statement: string): boolean => ADDS.some((pattern) => pattern.test(statement));

describe.each(LISTS)('the migrations of %s', (_dialect, list) => {
  it('only add, so that the build before runs on while a deployment continues', () => {
    const statements = list.flatMap((made) => statementsOf(made.statements));
    expect(statements.length).toBeGreaterThan(3);
    expect(statements.filter((statement) => !isAddition(statement))).toEqual([]);
  });

  it('make no index unique on a table of an earlier version: an older build might write what it refuses', () => {
    const statements = list.slice(1).flatMap((made) => statementsOf(made.statements));
    const onOlder = statements.filter((statement) => !statement.startsWith('CREATE TABLE'));
    expect(onOlder.filter((statement) => statement.includes('UNIQUE'))).toEqual([]);
  });

  it('never lower what a build must know, and never ask for more than the version itself', () => {
    const lowest = list.map(({ compatibleFrom }) => compatibleFrom ?? 0);
    expect(lowest).toEqual(lowest.toSorted((one, other) => one - other));
    for (const [index, version] of lowest.entries()) expect(version).toBeLessThanOrEqual(index + 1);
    expect(lowest.at(-1)).toBeGreaterThan(0);
  });
});

it.each([
  'DROP TABLE payments_inbox',
  'ALTER TABLE payments_inbox DROP COLUMN event',
  'ALTER TABLE payments_inbox ADD COLUMN note text NOT NULL',
  'ALTER TABLE payments_inbox RENAME COLUMN event TO name',
  'ALTER TABLE payments_inbox ALTER COLUMN event TYPE json',
  'UPDATE payments_inbox SET event = 1',
  'CREATE UNIQUE INDEX one ON payments_inbox (event)',
])('the rule notices %j', (statement) => {
  expect(isAddition(statement)).toBe(false);
});

it('the script holds what comes after a version alone, each followed by its record', () => {
  const list = [
    { statements: '\n    A;\n      b;\n  ' },
    { statements: 'C;' },
    { statements: 'D;', compatibleFrom: 2 },
  ];
  const parts = {
    first: 'FIRST;',
    record: (version: number, { compatibleFrom }: Migration) => `${version} ${String(compatibleFrom)};`,
  };
  const lead = (from: number): string =>
    `-- nestjs-payments: the tables from version ${from} to 3. Run all of it once, in one transaction.`;
  expect(migrationScript(list, 0, parts).split('\n\n')).toEqual([
    lead(0),
    'FIRST;',
    '-- version 1',
    'A;\n  b;',
    '1 undefined;',
    '-- version 2',
    'C;',
    '2 undefined;',
    '-- version 3',
    'D;',
    '3 2;',
  ]);
  expect(migrationScript(list, 2, parts).split('\n\n')).toEqual([lead(2), '-- version 3', 'D;', '3 2;']);
  expect(migrationScript(list, 3, parts)).toBe(
    '-- nestjs-payments: version 3 of the tables is the last one.',
  );
});
