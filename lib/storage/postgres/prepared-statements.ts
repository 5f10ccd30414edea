import { createHash } from 'node:crypto';
import { type PostgresClient, type PostgresResult } from './postgres-pool.js';

/** A client of `pg` says which process of the server it was told at the beginning. */
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

/**
 * Planning takes PostgreSQL longer than running these statements, so they are prepared, once for each connection. A pooler
 * such as PgBouncer may hand each transaction to another connection, where nothing was prepared: behind one, they are sent
 * as they are.
 */
export class PreparedStatements {
  private readonly names = new Map<string, string>();
  private arePrepared: boolean;

  /** @param given What the application says; undefined: `look` finds it out. */
  constructor(private readonly given: boolean | undefined) {
    this.arePrepared = given ?? false;
  }

  /**
   * Looks whether a connection ends at the server itself: a pooler invents the number of the process that it tells its clients.
   *
   * @param ask Runs a statement on the connection.
   */
  async look(
    { processID }: StartedClient,
    ask: (text: string) => Promise<Pick<PostgresResult, 'rows'>>,
  ): Promise<void> {
    if (this.given !== undefined || typeof processID !== 'number') return;
    const { rows } = await ask('SELECT pg_backend_pid()::text AS pid');
    this.arePrepared = rows[0]?.['pid'] === String(processID);
  }

  /** Runs a statement. What has no values is not worth a plan. */
  query(
    client: PostgresClient,
    text: string,
    values: readonly unknown[] | undefined,
  ): Promise<PostgresResult> {
    if (!values) return client.query(text);
    if (!this.arePrepared) return client.query(text, [...values]);
    return (client as unknown as PreparingClient).query({ name: this.nameOf(text), text, values });
  }

  /** Whether a statement did not run because of its name: an application may call DISCARD ALL. Then none is prepared any more. */
  stopsAfter(error: unknown): boolean {
    const { code } = error as { readonly code?: unknown };
    const isOfName = code === DUPLICATE_NAME || code === UNKNOWN_NAME;
    if (isOfName) this.arePrepared = false;
    return isOfName;
  }

  /** `pg` refuses a name with two texts, and several storages may share a pool. */
  private nameOf(text: string): string {
    let name = this.names.get(text);
    if (name === undefined) {
      const digest = createHash('sha256').update(text).digest('hex');
      name = `payments_${digest.slice(0, NAME_DIGITS)}`;
      this.names.set(text, name);
    }
    return name;
  }
}
