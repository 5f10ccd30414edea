import { type PostgresClient, type PostgresResult } from './postgres-pool.js';

/** A statement, and the name under which a connection keeps its plan. */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The messages of the extended query protocol, as a client of `pg` sends them. */
interface Connection {
  readonly stream: { cork?(): void; uncork?(): void };
  close(statement: { readonly type: 'S'; readonly name: string }): void;
  parse(statement: { readonly name: string; readonly text: string }): void;
  bind(portal: { readonly statement: string; readonly values: readonly (string | null)[] }): void;
  describe(portal: { readonly type: 'P' }): void;
  execute(portal: object): void;
  sync(): void;
}

/** A client of `pg` hands its connection to a query that has the method `submit`. */
interface SubmittingClient {
  query(query: StatementBatch): unknown;
  readonly connection?: Partial<Connection>;
  /** It sends queries without waiting for the one before, and takes none with `submit`. */
  readonly pipeline?: boolean;
}

type Row = Record<string, string | null>;

/** The statements that a connection knows. */
const parsed = new WeakMap<PostgresClient, Set<string>>();

/** Whether a client is one of `pg` itself, which can run a batch: `pg-native` and others cannot. */
export function runsBatches(client: PostgresClient): boolean {
  const { connection, pipeline } = client as unknown as SubmittingClient;
  return typeof connection?.bind === 'function' && pipeline !== true;
}

/**
 * Runs statements in one round trip and one transaction: all of them are committed, or none is. Rejects with the error of the
 * server or of the connection.
 */
export function runBatch(
  client: PostgresClient,
  statements: readonly NamedStatement[],
): Promise<readonly PostgresResult[]> {
  return new Promise((resolve, reject) => {
    const names = parsed.get(client) ?? new Set();
    parsed.set(client, names);
    (client as unknown as SubmittingClient).query(new StatementBatch(statements, names, resolve, reject));
  });
}

/** The client calls its methods, whose names `pg` defines, while the server answers. */
class StatementBatch {
  private readonly results: PostgresResult[] = [];
  private columns: readonly string[] = [];
  private rows: Row[] = [];
  private isOver = false;

  /**
   * Called at the end. `pg` wraps it with the timer of its `query_timeout`, and tracers with the end of their span:
   * some of them fail without it.
   */
  callback: (error?: unknown) => void = () => undefined;
  /** Loggers and tracers read it, as that of a query of `pg`. Tracers append no comment to a named statement. */
  readonly name = 'payments_shared';

  constructor(
    private readonly statements: readonly NamedStatement[],
    /** Those that the connection knows. */
    private readonly names: Set<string>,
    private readonly resolve: (results: readonly PostgresResult[]) => void,
    private readonly reject: (error: Error) => void,
  ) {}

  get text(): string {
    return this.statements.map(({ text }) => text).join(';\n');
  }

  submit(connection: Connection): void {
    // One packet for all messages.
    connection.stream.cork?.();
    try {
      for (const statement of this.statements) this.send(connection, statement);
      connection.sync();
    } finally {
      connection.stream.uncork?.();
    }
  }

  private send(connection: Connection, { name, text, values }: NamedStatement): void {
    if (!this.names.has(name)) {
      // The server may know the name from before an error. Closing an unknown name is no error.
      connection.close({ type: 'S', name });
      connection.parse({ name, text });
      this.names.add(name);
    }
    connection.bind({ statement: name, values: values.map(wireText) });
    connection.describe({ type: 'P' });
    connection.execute({});
  }

  handleRowDescription({ fields }: { readonly fields: readonly { readonly name: string }[] }): void {
    this.columns = fields.map(({ name }) => name);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const row: Row = {};
    for (const [index, column] of this.columns.entries()) row[column] = fields[index] ?? null;
    this.rows.push(row);
  }

  /** @param message Its text is for example `INSERT 0 1`. */
  handleCommandComplete({ text }: { readonly text: string }): void {
    this.results.push({ rows: this.rows, rowCount: Number(text.slice(text.lastIndexOf(' ') + 1)) });
    this.rows = [];
  }

  /** The transaction is committed. */
  handleReadyForQuery(): void {
    if (this.results.length < this.statements.length) {
      this.handleError(new Error('PostgreSQL did not answer every statement.'));
    } else if (this.ends()) {
      this.resolve(this.results);
      this.callback();
    }
  }

  handleError(error: Error): void {
    if (!this.ends()) return;
    // It is unknown which of them the server has read.
    this.names.clear();
    this.reject(error);
    this.callback(error);
  }

  /** Whether this is the end: `pg` reports its own time limit even after an error of the server. */
  private ends(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    return true;
  }
}

/** A parameter as PostgreSQL reads it: the package has texts, numbers and lists of texts. */
function wireText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return Array.isArray(value) ? `{${value.map(arrayElement).join(',')}}` : `${value as string | number}`;
}

function arrayElement(value: string): string {
  return `"${value.replace(/["\\]/g, String.raw`\$&`)}"`;
}
