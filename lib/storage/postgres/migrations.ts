import { PURGE_CONDITIONS } from './journal-statements.js';
import { type Migration, migrationScript } from '../storage-tables.js';
import { LISTED, LISTED_CONFLICT, LISTED_TOMBSTONE } from './index-conditions.js';
import { type TableNames } from './table-names.js';

/**
 * The changes of each version of the tables. Never change a released version: databases have it. Versions before 5 have
 * no column for `compatibleFrom`.
 *
 * References compare byte by byte (`COLLATE "C"`), so that an index survives changes of the system's locales.
 */
export function migrations(names: TableNames): readonly Migration[] {
  return [
    { statements: firstVersion(names) },
    { statements: tombstoneVersion(names) },
    { statements: setAsideVersion(names) },
    { statements: tombstonePurgeVersion(names) },
    { statements: compatibilityVersion(names), compatibleFrom: 5 },
    { statements: dailyCountVersion(names), compatibleFrom: 5 },
    { statements: batchVersion(names), compatibleFrom: 5 },
    { statements: reconciliationVersion(names), compatibleFrom: 5 },
  ];
}

/** Touches no existing table, so it waits for no transaction, and none waits for it. */
function tombstoneVersion({ tombstones }: TableNames): string {
  return `
    CREATE TABLE ${tombstones} (
      left_at timestamptz(3) NOT NULL,
      attempt integer NOT NULL,
      account text COLLATE "C" NOT NULL,
      environment text COLLATE "C" NOT NULL,
      payment bytea NOT NULL,
      ended text COLLATE "C" NOT NULL,
      settled_by text COLLATE "C",
      PRIMARY KEY (account, environment, payment)
    );
    COMMENT ON TABLE ${tombstones} IS 'nestjs-payments: hashes of the payments that the journal has forgotten';
  `;
}

function firstVersion({ inbox, setAside, journal, fences, versions }: TableNames): string {
  return `
    CREATE SEQUENCE ${fences};
    CREATE TABLE ${inbox} (
      account text COLLATE "C" NOT NULL,
      environment text COLLATE "C" NOT NULL,
      kind text COLLATE "C" NOT NULL,
      reference text COLLATE "C" NOT NULL,
      event text NOT NULL,
      fingerprint text COLLATE "C" NOT NULL,
      state text COLLATE "C" NOT NULL CHECK (state IN ('running', 'open', 'done')),
      fence bigint NOT NULL,
      attempt integer NOT NULL,
      finished text[] NOT NULL,
      changed_at timestamptz(3) NOT NULL,
      lease_until timestamptz(3) NOT NULL,
      PRIMARY KEY (account, environment, kind, reference)
    );
    CREATE INDEX ON ${inbox} (account, environment, changed_at) WHERE state = 'done';
    COMMENT ON TABLE ${inbox} IS 'nestjs-payments: which webhook deliveries were handled';

    CREATE TABLE ${setAside} (
      account text COLLATE "C" NOT NULL,
      environment text COLLATE "C" NOT NULL,
      kind text COLLATE "C" NOT NULL,
      fingerprint text COLLATE "C" NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
      event text NOT NULL,
      reference text NOT NULL,
      payload text NOT NULL,
      seen integer NOT NULL,
      first_seen_at timestamptz(3) NOT NULL,
      PRIMARY KEY (account, environment, kind, fingerprint)
    );
    CREATE INDEX ON ${setAside} (account, environment, id);
    COMMENT ON COLUMN ${setAside}.payload IS 'personal data: the webhook as it was sent';

    CREATE SEQUENCE ${versions};
    CREATE TABLE ${journal} (
      account text COLLATE "C" NOT NULL,
      environment text COLLATE "C" NOT NULL,
      family text COLLATE "C" NOT NULL,
      reference text COLLATE "C" NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      state text COLLATE "C" NOT NULL,
      attempt integer NOT NULL,
      record json NOT NULL,
      version bigint NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      attempt_at timestamptz(3) NOT NULL,
      lease_until timestamptz(3) NOT NULL,
      PRIMARY KEY (account, environment, family, reference)
    );
    CREATE INDEX ON ${journal} (account, environment, family, state, created_at, id) WHERE ${LISTED};
    ${Object.values(PURGE_CONDITIONS)
      .map((which) => `CREATE INDEX ON ${journal} (account, environment, updated_at) WHERE ${which};`)
      .join('\n    ')}
    COMMENT ON COLUMN ${journal}.record IS 'personal data: the request until its payment ended, and the answer';
  `;
}

function setAsideVersion({ inbox, setAside }: TableNames): string {
  return `
    ALTER TABLE ${inbox} ADD COLUMN provider_reference text COLLATE "C";
    COMMENT ON COLUMN ${inbox}.provider_reference IS 'SHA-256 of the transaction reference of the provider';
    CREATE INDEX ON ${setAside} (account, environment, kind, first_seen_at) WHERE ${LISTED_CONFLICT};
  `;
}

/** Without this index, every batch of a purge would read and sort all tombstones. */
function tombstonePurgeVersion({ tombstones }: TableNames): string {
  return `CREATE INDEX ON ${tombstones} (account, environment, left_at) WHERE ${LISTED_TOMBSTONE};`;
}

function compatibilityVersion({ migrations: table }: TableNames): string {
  return `
    ALTER TABLE ${table} ADD COLUMN compatible_from integer;
    COMMENT ON COLUMN ${table}.compatible_from IS 'the lowest version that a build must know to use the tables';
  `;
}

/** Builds of version 5 work on: they count nothing, and miss nothing. */
function dailyCountVersion({ dailyCounts }: TableNames): string {
  return `
    CREATE TABLE ${dailyCounts} (
      account text COLLATE "C" NOT NULL,
      environment text COLLATE "C" NOT NULL,
      family text COLLATE "C" NOT NULL,
      day bigint NOT NULL,
      payments bigint NOT NULL,
      cents numeric NOT NULL,
      PRIMARY KEY (account, environment, family)
    );
    COMMENT ON TABLE ${dailyCounts} IS 'nestjs-payments: what was counted towards limits.perDay, one row an account and family';
  `;
}

/** Builds of version 5 work on: they have no batches. */
function batchVersion(names: TableNames): string {
  return batchTables(names) + batchLineTables(names);
}

function batchTables({ batches, batchEvents }: TableNames): string {
  return `
    CREATE TABLE ${batches} (
      account text COLLATE "C" NOT NULL,
      environment text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      batch_load text COLLATE "C" NOT NULL UNIQUE,
      state text COLLATE "C" NOT NULL,
      digest text COLLATE "C",
      details text NOT NULL,
      version bigint NOT NULL,
      events bigint NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (account, environment, name)
    );
    CREATE INDEX ON ${batches} (account, environment, digest) WHERE ${LISTED};
    CREATE INDEX ON ${batches} (batch_load) WHERE state IN ('checking', 'running', 'paused');
    COMMENT ON TABLE ${batches} IS 'nestjs-payments: batches of payouts';

    CREATE TABLE ${batchEvents} (
      account text COLLATE "C" NOT NULL,
      environment text COLLATE "C" NOT NULL,
      name text COLLATE "C" NOT NULL,
      number bigint NOT NULL,
      at timestamptz(3) NOT NULL,
      action text NOT NULL,
      actor text NOT NULL,
      details text NOT NULL,
      PRIMARY KEY (account, environment, name, number)
    );
    COMMENT ON TABLE ${batchEvents} IS 'nestjs-payments: who did what with a batch';
  `;
}

function batchLineTables({ batchLines, batchChunks, batchCounts }: TableNames): string {
  return `
    CREATE TABLE ${batchLines} (
      batch_load text COLLATE "C" NOT NULL,
      line_number bigint NOT NULL,
      line_key text COLLATE "C" NOT NULL,
      state text COLLATE "C" NOT NULL,
      cents bigint NOT NULL,
      recipient text COLLATE "C" NOT NULL,
      content text NOT NULL,
      result text NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (batch_load, line_number),
      UNIQUE (batch_load, line_key)
    );
    CREATE INDEX ON ${batchLines} (batch_load, state, line_number);
    CREATE INDEX ON ${batchLines} (recipient);
    COMMENT ON COLUMN ${batchLines}.content IS 'personal data: whom the line pays';
    COMMENT ON COLUMN ${batchLines}.result IS 'personal data: what its check found';

    CREATE TABLE ${batchChunks} (
      batch_load text COLLATE "C" NOT NULL,
      chunk bigint NOT NULL,
      digest text COLLATE "C" NOT NULL,
      first_line bigint NOT NULL,
      last_line bigint NOT NULL,
      PRIMARY KEY (batch_load, chunk)
    );
    CREATE TABLE ${batchCounts} (
      batch_load text COLLATE "C" NOT NULL,
      state text COLLATE "C" NOT NULL,
      line_count bigint NOT NULL,
      cents numeric NOT NULL,
      PRIMARY KEY (batch_load, state)
    );
    COMMENT ON TABLE ${batchCounts} IS 'nestjs-payments: how many lines of a batch are in each state';
  `;
}

/** Builds of version 5 work on: they have no reconciliation. */
function reconciliationVersion({ reconciliation }: TableNames): string {
  return `
    CREATE TABLE ${reconciliation} (
      account text COLLATE "C" NOT NULL,
      environment text COLLATE "C" NOT NULL,
      kind text COLLATE "C" NOT NULL,
      id text COLLATE "C" NOT NULL,
      state text COLLATE "C" NOT NULL,
      details text NOT NULL,
      version bigint NOT NULL,
      created_at timestamptz(3) NOT NULL,
      updated_at timestamptz(3) NOT NULL,
      PRIMARY KEY (account, environment, kind, id)
    );
    CREATE INDEX ON ${reconciliation} (account, environment, kind, state, id) WHERE ${LISTED};
    CREATE INDEX ON ${reconciliation} (account, environment, kind, state, updated_at) WHERE ${LISTED};
    COMMENT ON TABLE ${reconciliation} IS 'nestjs-payments: balances, closes of days, and exceptions';
  `;
}

/** Creates the table with the versions of the tables. */
export function firstTable({ migrations: table }: TableNames): string {
  return `${table} (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT clock_timestamp())`;
}

/** Writes down that a version is there. */
export function recordVersion({ migrations: table }: TableNames, version: number, made: Migration): string {
  return made.compatibleFrom === undefined
    ? `INSERT INTO ${table} (version) VALUES (${version})`
    : `INSERT INTO ${table} (version, compatible_from) VALUES (${version}, ${made.compatibleFrom})`;
}

/** What a person runs who migrates by hand. The schema `public` exists in a new database. */
export function postgresScript(names: TableNames, from: number): string {
  const schema = names.schema === '"public"' ? '' : `CREATE SCHEMA IF NOT EXISTS ${names.schema};\n`;
  return migrationScript(migrations(names), from, {
    first: `${schema}CREATE TABLE IF NOT EXISTS ${firstTable(names)};`,
    record: (version, made) => `${recordVersion(names, version, made)};`,
  });
}
