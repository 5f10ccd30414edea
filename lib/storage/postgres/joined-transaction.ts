import { PaymentsConfigError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { runAgainError } from '../sql/run-again.js';
import { joinText } from './joined-token.js';
import { type RunStatement } from './pooled-connection.js';
import { storageFailure } from './postgres-failure.js';
import { type PostgresResult } from './postgres-pool.js';
import { sqlLiteral, type TableNames } from './table-names.js';
import { CLIENT_ENCODING, refuseClientEncoding } from './client-encoding.js';

/** The part of a client of `pg` that runs the statements of a transaction. */
interface Client {
  query(text: string, values?: readonly unknown[]): Promise<PostgresResult | readonly PostgresResult[]>;
}

/** What tells two databases apart: names and numbers may be the same on two servers, of which one may be a copy. */
type Identity = string;

const SAVEPOINT = 'nestjs_payments_enlist';

/** Joins the transactions that the application has begun on its clients of `pg`. */
export class JoinedTransactions {
  private known: Identity | undefined;

  /**
   * @param ownClients Those of the storage's pool.
   * @param ownPool Runs a statement on a connection of the storage's pool.
   */
  constructor(
    private readonly ownClients: Pick<WeakSet<object>, 'has'>,
    private readonly ownPool: RunStatement,
    private readonly names: TableNames,
  ) {}

  /**
   * @param isHandlerClient Whether the storage gave the client to a handler, with an open transaction.
   * @throws PaymentsConfigError
   */
  async join(transaction: unknown, isHandlerClient: boolean, token: string): Promise<RunStatement> {
    const client = checkedClient(transaction);
    const run = onClient(client);
    const joining = `SELECT ${joinText(token)}, ${CLIENT_ENCODING} AS client_encoding`;
    if (isHandlerClient) checkEncoding(await run(joining));
    // Nothing else may be asked on the pool: such transactions may hold all of its connections.
    else if (this.ownClients.has(client)) checkEncoding(await ask(client, joining));
    else await this.checkDatabase((text) => ask(client, `${joining}; ${text}`));
    return run;
  }

  private async checkDatabase(run: (text: string) => Promise<PostgresResult>): Promise<void> {
    const { names } = this;
    const given = await identityOf(run, names);
    if (given === this.known) return;
    // A server that was started again has another identity.
    this.known = await identityOf(this.ownPool, names);
    if (given === this.known) return;
    throw new PaymentsConfigError(
      'The transaction belongs to another database than the storage, so the payment would never be sent: enlist it in a ' +
        'transaction of the database that postgresStorage({ pool }) has.',
    );
  }
}

function checkEncoding({ rows }: PostgresResult): void {
  refuseClientEncoding(rows[0]?.['client_encoding']);
}

function checkedClient(transaction: unknown): Client {
  const given = transaction as Partial<Client> | null | undefined;
  if (typeof given?.query !== 'function') {
    throw notAClient();
  }
  if (!('totalCount' in given)) return given as Client;
  throw new PaymentsConfigError(
    'The first argument of enlist… is a pool, which runs each statement on another connection: take one client with ' +
      "pool.connect(), and send BEGIN, the application's own statements and COMMIT on it.",
  );
}

function notAClient(): PaymentsConfigError {
  return new PaymentsConfigError(
    'The first argument of enlist… must be the client of pg whose transaction is open: write `const client = await ' +
      "pool.connect(); await client.query('BEGIN')`, or context.transaction in a handler, with transactional: true.",
  );
}

async function identityOf(
  run: (text: string) => Promise<PostgresResult>,
  names: TableNames,
): Promise<Identity> {
  const { rows } = await run(
    `SELECT current_database() AS name, to_regclass(${sqlLiteral(names.journal)})::oid::text AS journal,
      (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint::text AS started,
      ${CLIENT_ENCODING} AS client_encoding`,
  );
  const { client_encoding: sent, ...identity } = rows[0] ?? {};
  refuseClientEncoding(sent);
  return JSON.stringify(identity);
}

/** The savepoint fails if no transaction is open, before anything is written. */
async function ask(client: Client, text: string): Promise<PostgresResult> {
  try {
    const results = await client.query(`SAVEPOINT ${SAVEPOINT}; RELEASE SAVEPOINT ${SAVEPOINT}; ${text}`);
    const last = Array.isArray(results)
      ? (results as readonly (PostgresResult | undefined)[]).at(-1)
      : undefined;
    // An ORM's own object for a transaction may have a method of this name, with other results.
    if (!Array.isArray(last?.rows)) throw notAClient();
    return last;
  } catch (error) {
    throw joinedFailure(error);
  }
}

/** Without a time limit: after one, it would be unknown whether the statement is still carried out. */
function onClient(client: Client): RunStatement {
  return async (text, values) => {
    try {
      return (await client.query(text, values && [...values])) as PostgresResult;
    } catch (error) {
      throw joinedFailure(error);
    }
  };
}

function joinedFailure(error: unknown): Error {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === '25P01') {
    return new PaymentsConfigError(
      "No transaction is open on this client, so the payment would not belong to the application's rows: send BEGIN before " +
        'enlist…, and COMMIT after it.',
    );
  }
  if (code === '25P02') {
    return new PaymentsStorageError(
      'An earlier statement in the transaction failed, so PostgreSQL undoes everything (25P02): roll it back.',
    );
  }
  return runAgainError(error) ?? storageFailure(error);
}
