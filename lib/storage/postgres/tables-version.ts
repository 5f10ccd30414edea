import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { refuseNewer, type StoredVersion, versionFit } from '../stored-version.js';
import { CLIENT_ENCODING, refuseClientEncoding, UNCHANGED } from './client-encoding.js';
import { migrations } from './migrations.js';
import { type StorageCalls } from './postgres-failure.js';
import { autocommit, type PreparingPool, type RunStatement, withConnection } from './pooled-connection.js';
import { type PostgresPool } from './postgres-pool.js';
import { type PreparedStatements } from './prepared-statements.js';
import { sqlLiteral, type TableNames } from './table-names.js';

/** Runs the statement that reads the version. */
type AskVersion = (text: string) => Promise<readonly VersionRow[]>;

interface VersionRow {
  readonly last_version?: string | null;
  readonly compatible_from?: string | null;
  readonly encoding?: string | null;
  readonly client_encoding?: string | null;
}

/** An expression: how the database stores texts. */
export const ENCODING = "current_setting('server_encoding')";

/** @throws PaymentsStorageError if the database cannot store every text: a payment that was sent could not be written down. */
export function refuseEncoding(encoding: string | null | undefined): void {
  if (encoding == null || UNCHANGED.includes(encoding)) return;
  throw new PaymentsStorageError(
    `The database has the encoding ${encoding}, in which names and answers of the gateway cannot be stored: use a database ` +
      `that was created with ENCODING 'UTF8'.`,
  );
}

/**
 * Every statement gives texts under the names of their columns. Without them a payment could be sent whose answer nobody can
 * write down.
 *
 * @param value The text in a column whose name has two words.
 * @throws PaymentsStorageError if the application's driver gives something else.
 */
export function refuseChanged(value: unknown): void {
  if (typeof value === 'string') return;
  throw new PaymentsStorageError(
    "The application's driver renames the columns of its rows (camelCase, rowMode: 'array') or parses texts: give nestjs-payments a " +
      'pool whose clients leave them as they are, of the same database.',
  );
}

/**
 * The version of the existing tables; 0 if no migration has finished. Tables before version 5 name no lowest version.
 *
 * @throws PaymentsStorageError if the database cannot store every text, or the driver changes what it gives.
 */
export async function readVersion(
  ask: AskVersion,
  { migrations: table }: TableNames,
): Promise<StoredVersion> {
  const rows = await ask(
    `SELECT version::text AS last_version, to_jsonb(made) ->> 'compatible_from' AS compatible_from, ${ENCODING} AS encoding,
       ${CLIENT_ENCODING} AS client_encoding
     FROM ${table} AS made ORDER BY made.version DESC LIMIT 1`,
  );
  const [row] = rows;
  if (!row) return { version: 0 };
  const { last_version: version, compatible_from: from = null, encoding, client_encoding: sent } = row;
  refuseChanged(version);
  refuseEncoding(encoding);
  refuseClientEncoding(sent);
  return { version: Number(version), ...(from !== null && { compatibleFrom: Number(from) }) };
}

/** The same if nobody knows whether there are tables. */
export async function versionIfAny(
  ask: (text: string) => Promise<readonly Readonly<Record<string, unknown>>[]>,
  names: TableNames,
): Promise<StoredVersion> {
  const [row] = await ask(`SELECT (to_regclass(${sqlLiteral(names.migrations)}) IS NOT NULL)::text AS made`);
  return row?.['made'] === 'true' ? readVersion(ask, names) : { version: 0 };
}

/** The application's pool with tables that fit. */
export interface CheckedTables extends PreparingPool {
  /** Prepares the tables, unless they are prepared. */
  readonly prepare: () => Promise<void>;
  /** The same in a transaction of the application, which may hold the last connection of the pool. */
  readonly prepareOn: (run: RunStatement) => Promise<void>;
}

/** What prepares tables. */
interface TablesWork extends Required<Pick<PreparingPool, 'tell'>> {
  readonly check: (run: RunStatement) => Promise<void>;
  /** Instead of the check, if the application wants it. */
  readonly migrate?: (() => Promise<unknown>) | undefined;
}

/**
 * Wraps the application's pool: before its first connection, prepares the tables once.
 *
 * @param prepared How statements are sent after that.
 */
export function withCheckedTables(
  given: PostgresPool,
  { check, migrate, tell }: TablesWork,
  prepared: PreparedStatements,
): CheckedTables {
  const pool: PreparingPool = { connect: () => given.connect(), tell };
  let isPrepared = false;
  let preparing: Promise<void> | undefined;
  const prepareOnce = async (): Promise<void> => {
    try {
      await (migrate ? migrate() : check(autocommit(pool)));
      if (prepared.isUndecided) await withConnection(pool, ({ client, run }) => prepared.look(client, run));
      isPrepared = true;
    } finally {
      preparing = undefined;
    }
  };
  const prepare = async (): Promise<void> => {
    if (!isPrepared) await (preparing ??= prepareOnce());
  };
  return {
    prepare,
    prepareOn: async (run) => {
      if (!isPrepared) await (migrate ? prepare() : check(run));
    },
    prepared,
    tell,
    connect: async () => {
      // No extra microtask, because every delivery passes here.
      if (!isPrepared) await prepare();
      return pool.connect();
    },
  };
}

/** @throws PaymentsStorageError if the tables are older than this build needs, or too new. */
export async function checkVersion(ask: AskVersion, names: TableNames, calls: StorageCalls): Promise<void> {
  const found = await readVersion(ask, names);
  const needed = migrations(names).length;
  const place = `The schema ${names.shownSchema}`;
  refuseNewer(place, found, needed);
  if (versionFit(found, needed) === 'usable') return;
  throw new PaymentsStorageError(
    `${place} holds version ${found.version} of the tables of nestjs-payments, and this version of the package needs ` +
      `${needed}: call ${calls.migrate}, or run npx nestjs-payments migrate, when you deploy, with the same \`schema\` as ${calls.storage}.` +
      (found.version === 0
        ? ' Or row-level security hides the rows of payments_migrations from the role.'
        : ''),
  );
}
