import { type StoredVersion } from './stored-version.js';

/** One version of the tables. */
export interface Migration {
  /**
   * What is added. A migration only adds: builds of the version before it run on the tables while a deployment continues,
   * and after a roll-back.
   */
  readonly statements: string;
  /**
   * The lowest version that a build must know to use these tables. It rises if an older build would misread data, or
   * would not write data that this one relies on. It never falls. Absent: the statements leave no place to write it.
   */
  readonly compatibleFrom?: number;
}

/** The tables of the package in one place of a database. */
export interface StorageTables {
  /** Where they are, as the subject of a sentence, for example `The schema "public"`. */
  readonly place: string;
  /** The version of the existing tables; 0 if there are none. */
  found: () => Promise<StoredVersion> | StoredVersion;
  /**
   * Brings them to the version that this build needs. If it fails, nothing is changed. Resolves to the version that it
   * found when it was its turn: another process may have migrated them meanwhile.
   *
   * @param tell Gets a line if it takes long because another process migrates.
   */
  migrate: (tell: (line: string) => void) => Promise<StoredVersion> | StoredVersion;
}

/** The statements of each version after `from`, each followed by what records it, for a person to read and run. */
export function migrationScript(
  migrations: readonly Migration[],
  from: number,
  {
    first,
    record,
    how = 'Run all of it once, in one transaction.',
  }: {
    readonly first: string;
    readonly record: (version: number, made: Migration) => string;
    readonly how?: string;
  },
): string {
  const needed = migrations.length;
  const missing = migrations.map((made, index) => ({ made, version: index + 1 })).slice(from);
  if (missing.length === 0) return `-- nestjs-payments: version ${needed} of the tables is the last one.`;
  return [
    `-- nestjs-payments: the tables from version ${from} to ${needed}. ${how}`,
    ...(from === 0 ? [first] : []),
    ...missing.flatMap(({ made, version }) => [
      `-- version ${version}`,
      unindented(made.statements),
      record(version, made),
    ]),
  ].join('\n\n');
}

function unindented(statements: string): string {
  const [, indent = ''] = /^( *)\S/m.exec(statements) ?? [];
  return statements.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim();
}

/** The statements of a migration one by one, as most drivers take them. None of them has a semicolon inside. */
export function singleStatements({ statements }: Migration): readonly string[] {
  return statements
    .split(/;[^\S\n]*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}
