import { describe, expect, it } from 'vitest';
import { withPostgresPool } from '../../../../lib/cli/migrate/server-connection.js';

const code = 'EACCES';
const ofSocket = { code, syscall: 'connect', address: '/run/.s.PGSQL.5432' };
const ofPort = { code, syscall: 'connect', address: '10.0.0.1', port: 5432 };

describe('withPostgresPool', () => {
  it.each([
    ['a socket file', Object.assign(new Error(), ofSocket), /^The socket of DATABASE_URL cannot be opened/],
    ['a port', Object.assign(new Error(), ofPort), /^This machine forbids the connection/],
    [
      'all addresses of a host',
      Object.assign(new AggregateError([]), { code }),
      /^This machine forbids the connection/,
    ],
  ])('says what is forbidden: %s', async (_, error, message) => {
    const run = withPostgresPool('postgres://10.0.0.1/shop', process.cwd(), () => Promise.reject(error));
    await expect(run).rejects.toThrow(message);
  });
});
