import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Pool } from 'pg';
import { PaymentsValidationError } from '../../../../lib/errors/payments-errors.js';
import { hasUndoneAll, storageFailure } from '../../../../lib/storage/postgres/postgres-failure.js';

describe('an error of the storage', () => {
  it('is an error of the package as it came', () => {
    const own = new PaymentsValidationError({ after: ['is no place'] });
    expect(storageFailure(own)).toBe(own);
  });

  it.each([
    ['42P01', 'call migratePayments(pool)'],
    ['3F000', 'call migratePayments(pool)'],
    ['42703', 'call migratePayments(pool)'],
    ['42501', 'has the GRANT statements'],
    ['25P02', 'behind a SAVEPOINT'],
    ['42704', 'ended the webhook transaction by itself'],
    ['25006', 'connections that may write'],
    ['57014', 'the statement_timeout of the connection is too short'],
    ['53100', 'The disk or table space of the database server is full: make room on it (53100).'],
    ['53300', 'The database takes no more connections'],
    ['57P01', 'was told to end the connection (57P01).'],
    ['57P02', 'The database server stops, starts'],
    ['57P03', 'The database server stops, starts'],
    ['58030', 'PostgreSQL did not do what it was asked: Error (58030).'],
    // For example a role that does not exist, in the options of the connection.
    ['22023', 'PostgreSQL did not do what it was asked'],
  ])('of the code %s says what to do, and nothing of what was to be stored', (code, said) => {
    const failure = storageFailure(Object.assign(new Error('Asha, 255700000000'), { code }));
    expect(failure).toMatchObject({ name: 'PaymentsStorageError' });
    expect(failure.message).toContain(said);
    expect(failure.message).not.toContain('Asha');
  });

  it('says that a statement waited too long for a table, whatever language the server speaks', () => {
    const message = 'ungültiger Wert für Parameter »lock_timeout«: »waited too long for a table«';
    const failure = storageFailure(Object.assign(new Error(message), { code: '22023' }));
    expect(failure.message).toContain(
      'waited too long for a table that another transaction held, and did nothing',
    );
  });

  it.each([
    ['Connection terminated unexpectedly', 'The connection to PostgreSQL ended before the answer'],
    ['Client has encountered a connection error and is not queryable', 'ended before the answer'],
    ['Client was closed and is not queryable', 'ended before the answer'],
    ['timeout exceeded when trying to connect', 'No connection to PostgreSQL in time'],
    ['Connection terminated due to connection timeout', 'No connection to PostgreSQL in time'],
  ])('is understood without a code, also if an ORM wraps it: %s', (text, said) => {
    const wrapped = Object.assign(new Error('Asha, 255700000000'), { driverError: new Error(text) });
    for (const error of [new Error(text), wrapped]) {
      expect(storageFailure(error).message).toContain(said);
      expect(storageFailure(error).message).not.toContain('Asha');
    }
  });

  it('says that the server closed the connection of a statement', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const pool = new Pool({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
    const failure = storageFailure(await pool.query('SELECT 1').catch((error: unknown) => error));
    await pool.end();
    server.close();
    expect(failure.message).toContain('the server stopped, or something between closed it');
  });

  it('says where to end a pool that the application has ended too early', async () => {
    const pool = new Pool();
    await pool.end();
    const failure = storageFailure(await pool.connect().catch((error: unknown) => error));
    expect(failure).toMatchObject({
      name: 'PaymentsStorageError',
      message:
        'The application has ended its pool, and the package still needed it: end it in onApplicationShutdown of a @Global() ' +
        'module that is imported before PaymentsModule. See docs/webhooks.md#when-the-application-stops.',
    });
  });
});

describe('an error of one statement of several in a transaction', () => {
  it.each([
    ['a feature that is missing', '0A000'],
    ['a value', '22P02'],
    ['a constraint', '23505'],
    ['a server that only reads', '25006'],
    ['a name that is unknown', '26000'],
    ['a conflict', '40001'],
    ['a deadlock', '40P01'],
    ['a table that is missing', '42P01'],
    ['a limit', '54000'],
    ['a lock', '55P03'],
    ['a time limit', '57014'],
    ['a trigger of the application', 'P0001'],
  ])('has undone all of it if it is about %s', (_, code) => {
    expect(hasUndoneAll(Object.assign(new Error(), { code }))).toBe(true);
  });

  it.each([
    ['a commit that nobody knows of', '40003'],
    ['the connection', '08006'],
    ['an idle transaction, whose connection ends', '25P03'],
    ['a long transaction, whose connection ends', '25P04'],
    ['the disk', '53100'],
    ['a shutdown', '57P01'],
    ['a crash', '57P02'],
    ['the system', '58030'],
    ['the server itself', 'XX000'],
    ['the socket', 'ECONNRESET'],
    ['nothing that it names', undefined],
  ])('may have left it committed if it is about %s', (_, code) => {
    expect(hasUndoneAll(Object.assign(new Error(), { code }))).toBe(false);
  });
});
