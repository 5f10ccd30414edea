import { PaymentsConfigError, PaymentsStorageError } from '../../errors/payments-errors.js';
import { errorCodes } from '../sql/error-code.js';
import { type GivenTransaction } from '../sql/executor-dialect.js';
import { type RunScript, type SqlResult, type SqlScript } from '../sql/sql-database.js';
import { raw } from '../sql/sql-template.js';
import { refusalOfTexts, TEXT_SETTINGS } from './mysql-settings.js';

const SAVEPOINT = 'nestjs_payments_enlist';
/** A savepoint does not exist. Without a transaction it is gone as soon as it is made. */
export const NO_SAVEPOINT = '1305';

/** The end fails if no transaction is open, or if the one of the begin has ended. */
export const PROBE = { begin: raw(`SAVEPOINT ${SAVEPOINT}`), end: raw(`RELEASE SAVEPOINT ${SAVEPOINT}`) };

/** What runs on a connection: a savepoint releases those that were made after it, so operations must not overlap. */
const running = new WeakMap<object, Promise<unknown>>();

/** Joins the transactions that the application has begun on the database of one storage. */
export class OpenTransactions {
  /** Of the storage itself: reading it needs a second connection, which the transactions may have taken. */
  private known: string | undefined;

  /** @param own Runs operations on the storage's own connections. */
  readonly learn = async (own: RunScript): Promise<string> => {
    const { database } = await placeOf(own);
    this.known = database;
    return database;
  };

  /** @throws PaymentsConfigError if no transaction is open, or one of another database. */
  readonly join = async ({ run, own, handle }: GivenTransaction): Promise<RunScript> => {
    const inTurn = turnsOf(handle as object);
    await inTurn(() => checkOpen(run));
    const { database, refusal } = await inTurn(() => placeOf(run));
    // It may come from another pool than the storage's.
    if (refusal !== undefined) throw new PaymentsConfigError(refusal);
    // Another server may have taken over.
    if (database !== this.known && database !== (await this.learn(own))) {
      throw new PaymentsConfigError(
        'The transaction belongs to another database than the storage, so the payment would never be sent: enlist it in a ' +
          'transaction of the database that the executor of sqlStorage({ executor }) has.',
      );
    }
    return (script) => inTurn(() => runOrUndo(run, script));
  };
}

async function runOrUndo(run: RunScript, script: SqlScript): Promise<SqlResult> {
  try {
    return await run(script);
  } catch (error) {
    if (!hasNoSavepoint(error)) {
      const undo = script.undoPartial?.();
      if (undo) await run(undo).catch(() => undefined);
      throw error;
    }
    if (script.undoAfterEnd) await run(script.undoAfterEnd);
    throw new PaymentsStorageError(
      'The transaction ended before the payment was written in it, so nothing was written: await enlist… before COMMIT, ' +
        'ROLLBACK and ROLLBACK TO SAVEPOINT (Promise.allSettled instead of Promise.all).',
    );
  }
}

async function checkOpen(run: RunScript): Promise<void> {
  try {
    await run({ steps: [PROBE.begin, PROBE.end] });
  } catch (error) {
    if (!hasNoSavepoint(error)) throw error;
    throw new PaymentsConfigError(
      "No transaction is open on this connection, so the payment would not belong to the application's rows: begin it before " +
        'enlist…, and commit it after it.',
    );
  }
}

/** What a connection writes to, and why it would change texts. */
interface Place {
  readonly database: string;
  readonly refusal: string | undefined;
}

/** The name of a database may be the same on two servers. MariaDB has no `server_uuid`. */
async function placeOf(run: RunScript): Promise<Place> {
  const { rows: found } = await run({ steps: [{ text: `SELECT DATABASE() AS name, ${TEXT_SETTINGS}` }] });
  const { rows: server } = await run({
    steps: [
      {
        text: "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('hostname', 'port', 'datadir', 'server_uuid', 'server_uid')",
      },
    ],
  });
  const [{ name, ...texts } = {}] = found;
  return { database: JSON.stringify([name, server]), refusal: refusalOfTexts(texts) };
}

function hasNoSavepoint(error: unknown): boolean {
  return errorCodes(error).includes(NO_SAVEPOINT);
}

function turnsOf(handle: object): <T>(work: () => Promise<T>) => Promise<T> {
  return (work) => {
    const before = running.get(handle) ?? Promise.resolve();
    const done = before.then(work, work);
    running.set(handle, done);
    return done;
  };
}
