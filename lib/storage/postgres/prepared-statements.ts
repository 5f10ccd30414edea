import { createHash } from 'node:crypto';
import { type PostgresClient, type PostgresResult } from './postgres-pool.js';
import { sqlLiteral, type TableNames } from './table-names.js';

/** A client of `pg` shows the process number that it got when it connected. */
interface StartedClient extends PostgresClient {
  readonly processID?: number | null;
}

/** The other form of `query` of `pg`: the server keeps the plan under the name, for this connection. */
interface PreparingClient {
  query(statement: {
    readonly name: string;
    readonly text: string;
    readonly values: readonly unknown[];
  }): Promise<PostgresResult>;
}

const DUPLICATE_NAME = '42P05';
const UNKNOWN_NAME = '26000';
const NAME_DIGITS = 16;

/** A statement that runs less often is not worth the memory of a plan on every connection. */
const OFTEN = 20;

/**
 * The server keeps a plan while the table grows. A plan for a few rows reads them all; one for a table of this size
 * uses the index, and stays right.
 */
const LARGE_JOURNAL_BYTES = 1_048_576;

/** After this many statements, a small journal may have become a large one. */
const LOOK_AGAIN_AFTER = 1_000;

/**
 * Planning takes PostgreSQL longer than running these statements, so those that run often are prepared, once for each
 * connection. A pooler such as PgBouncer may hand each transaction to another connection, where nothing was prepared:
 * behind one, they are sent as they are.
 */
export class PreparedStatements {
  private readonly uses = new Map<string, number>();
  private readonly names = new Map<string, string>();
  private arePrepared: boolean;
  /** How many statements are sent before the next look at a small journal; undefined: there is none. */
  private untilLook: number | undefined;

  /** @param given What the application says; undefined: `look` finds it out. */
  constructor(
    private readonly given: boolean | undefined,
    private readonly tables: Pick<TableNames, 'journal'>,
  ) {
    this.arePrepared = given ?? false;
  }

  /**
   * Finds out whether a connection reaches the server itself, and whether the journal is large. A pooler gives its
   * clients an invented process number.
   *
   * @param ask Runs a statement on the connection.
   */
  async look(
    { processID }: StartedClient,
    ask: (text: string) => Promise<Pick<PostgresResult, 'rows'>>,
  ): Promise<void> {
    if (typeof processID !== 'number') return;
    const { rows } = await ask(
      `SELECT pg_backend_pid()::text AS pid, pg_relation_size(${sqlLiteral(this.tables.journal)})::text AS bytes`,
    );
    const { pid, bytes } = rows[0] ?? {};
    const endsAtServer = pid === String(processID);
    const isLarge = Number(bytes) >= LARGE_JOURNAL_BYTES;
    this.arePrepared = endsAtServer && isLarge;
    this.untilLook = endsAtServer && !isLarge ? LOOK_AGAIN_AFTER : undefined;
  }

  /** Whether `look` has to run. */
  get isUndecided(): boolean {
    return this.given === undefined;
  }

  /**
   * Runs a statement outside of a transaction. Runs it again if it failed because of its name: an application may
   * call `DISCARD ALL`. From then on, no statement is prepared.
   */
  async query(client: PostgresClient, text: string, values: readonly unknown[]): Promise<PostgresResult> {
    if (this.isLookDue()) await this.lookAgain(client);
    const name = this.nameOf(text);
    if (name === undefined) return client.query(text, [...values]);
    try {
      return await (client as unknown as PreparingClient).query({ name, text, values });
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      if (code !== DUPLICATE_NAME && code !== UNKNOWN_NAME) throw error;
      this.arePrepared = false;
      return client.query(text, [...values]);
    }
  }

  /**
   * The name of a statement that runs often; undefined if it is sent as it is. `pg` refuses a name with two texts,
   * and several storages may share a pool.
   */
  nameOf(text: string): string | undefined {
    return this.arePrepared && this.isAskedOften(text) ? this.digestOf(text) : undefined;
  }

  /** Never rejects: the statement behind it does not need the answer. */
  private async lookAgain(client: PostgresClient): Promise<void> {
    try {
      await this.look(client, (text) => client.query(text));
    } catch {
      this.untilLook = LOOK_AGAIN_AFTER;
    }
  }

  private isLookDue(): boolean {
    if (this.untilLook === undefined) return false;
    this.untilLook -= 1;
    if (this.untilLook > 0) return false;
    // Only one connection looks at a time.
    this.untilLook = undefined;
    return true;
  }

  private isAskedOften(text: string): boolean {
    const uses = (this.uses.get(text) ?? 0) + 1;
    this.uses.set(text, uses);
    return uses > OFTEN;
  }

  private digestOf(text: string): string {
    let name = this.names.get(text);
    if (name === undefined) {
      const digest = createHash('sha256').update(text).digest('hex');
      name = `payments_${digest.slice(0, NAME_DIGITS)}`;
      this.names.set(text, name);
    }
    return name;
  }
}
