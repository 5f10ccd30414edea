import { PaymentsStorageError, isPaymentsError } from '../../errors/payments-errors.js';
import { databaseFailure, errorCodes, serverTrouble, wrappedErrors } from '../sql/error-code.js';
import { TOO_LATE } from './postgres-text.js';

/** What a message tells the reader to write. */
export interface StorageCalls {
  readonly migrate: string;
  readonly storage: string;
}

export const OF_POOL: StorageCalls = { migrate: 'migratePayments(pool)', storage: 'postgresStorage()' };

/** Undefined schema, table and column. */
const NOT_MIGRATED = new Set(['3F000', '42P01', '42703']);
/** A setting cannot have a value: that of `timelyMoment`, or a wrong one of the connection. */
const WRONG_VALUE = '22023';
/** What other codes mean. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  [
    '42501',
    'The role of the database connection lacks a right on a table or a sequence of nestjs-payments, or row-level security ' +
      'refuses its rows (42501): docs/storage.md has the GRANT statements for a role that does not own the tables.',
  ],
  [
    '25P02',
    'A statement in the transaction failed and the handler continued, so PostgreSQL undoes everything (25P02): let the error ' +
      'of the statement through, or put the statement behind a SAVEPOINT.',
  ],
  [
    '25006',
    'The database connection may only read (25006): its server is a standby, or default_transaction_read_only is on. Give ' +
      'nestjs-payments connections that may write.',
  ],
  [
    '57014',
    'PostgreSQL cancelled a statement of nestjs-payments (57014): the statement_timeout of the connection is too short, or ' +
      'somebody cancelled it.',
  ],
  // A setting does not exist: `finishAndCommit` finished nothing.
  [
    '42704',
    'A handler ended the webhook transaction by itself: what it committed stays, nothing was recorded, and the delivery comes ' +
      'again. To prevent a second effect, take COMMIT and ROLLBACK out of what the handler runs.',
  ],
]);

const CONNECTION_ENDED =
  'The connection to PostgreSQL ended before the answer: the server stopped, or something between closed it.';
const NOT_IN_TIME =
  'No connection to PostgreSQL in time: the server does not answer, or the pool is too small.';
/** What the texts mean of errors to which `pg` gives no code. They hold nothing of the application. */
const TEXTS: readonly (readonly [text: string, meaning: string])[] = [
  [
    'Cannot use a pool after calling end on the pool',
    'The application has ended its pool, and the package still needed it: end it in onApplicationShutdown of a @Global() module ' +
      'that is imported before PaymentsModule. See docs/webhooks.md#when-the-application-stops.',
  ],
  ['due to connection timeout', NOT_IN_TIME],
  ['timeout exceeded when trying to connect', NOT_IN_TIME],
  ['Connection terminated', CONNECTION_ENDED],
  ['and is not queryable', CONNECTION_ENDED],
];

/** Converts an error of the driver or of PostgreSQL without its texts, which repeat stored data. */
export function storageFailure(error: unknown, calls = OF_POOL): Error {
  if (isPaymentsError(error)) return error;
  const codes = errorCodes(error);
  const notMigrated = codes.find((code) => NOT_MIGRATED.has(code));
  if (notMigrated !== undefined) {
    return new PaymentsStorageError(
      `Tables or sequences of nestjs-payments are missing or older than this version (${notMigrated}): call ${calls.migrate} when you ` +
        `deploy, with the same \`schema\` as ${calls.storage}.`,
    );
  }
  // The server's text quotes the value, whatever its language.
  if (codes.includes(WRONG_VALUE) && says(error, TOO_LATE)) {
    return new PaymentsStorageError(
      'The statement waited too long for a table that another transaction held, and did nothing (22023). Make the same call again.',
    );
  }
  const ofCode = codes.map((code) => MEANINGS.get(code)).find((text) => text !== undefined);
  const meaning = ofCode ?? serverTrouble(codes) ?? TEXTS.find(([text]) => says(error, text))?.[1];
  if (meaning !== undefined) return new PaymentsStorageError(meaning);
  return new PaymentsStorageError(`PostgreSQL did not do what it was asked: ${databaseFailure(error)}.`);
}

/**
 * The fault of a statement, of its values, of a lock or of a trigger of the application: the server undoes the transaction, and the
 * connection stays. After any other error it may have committed anyway.
 */
const OF_STATEMENT = /^(?:0A000|2[23]|25006|26000|40(?!003)|42|54|55|57014|P0)/;

function says(error: unknown, text: string): boolean {
  return wrappedErrors(error).some(({ message }) => typeof message === 'string' && message.includes(text));
}

/** Whether an error of one statement has certainly undone all of its transaction. */
export function hasUndoneAll(error: unknown): boolean {
  return errorCodes(error).some((code) => OF_STATEMENT.test(code));
}

/** Serialization failure, deadlock, and a lock that was not free in time: the statement did nothing. */
const DID_NOTHING = new Set(['40001', '40P01', '55P03']);
/** The wait for a lock takes half of the time that an answer has. */
const LOCK_NOT_FREE = '55P03';

/** Whether the statement did nothing, and may succeed at the next try. */
export function mayRunAgain(error: unknown): boolean {
  return errorCodes(error).some((code) => DID_NOTHING.has(code));
}

/** The same, except after a wait for a lock, which has already taken most of the time. */
export function mayRunAtOnce(error: unknown): boolean {
  return mayRunAgain(error) && !errorCodes(error).includes(LOCK_NOT_FREE);
}
