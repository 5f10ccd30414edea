import { expect, it } from 'vitest';
import { PaymentsConfigError } from '../../../../lib/errors/payments-errors.js';
import { fromPrisma, type PrismaDatabase } from '../../../../lib/storage/prisma/index.js';

const PG = '@prisma/adapter-pg';
const ofClient = (): void => undefined;

function prisma(provider = 'postgresql', adapterName: string | undefined = PG): PrismaDatabase {
  const original = {
    _executeRequest: () => Promise.resolve(),
    _engine: { transaction: () => Promise.resolve({ id: '1' }) },
    _createPrismaPromise: ofClient,
  };
  return {
    _originalClient: original,
    _activeProvider: provider,
    _engineConfig: { adapter: adapterName === 'none' ? undefined : { adapterName } },
    $connect: () => undefined,
    $transaction: () => undefined,
    $queryRawUnsafe: () => undefined,
  } as unknown as PrismaDatabase;
}
/** The client of a transaction. */
function transactionOf(client: PrismaDatabase): object {
  return { ...client, $connect: undefined };
}
const NO_CLIENT =
  'fromPrisma(prisma) needs a PrismaClient of Prisma 7: inject PrismaService, or write new PrismaClient({ adapter }).';

it.each<[what: string, given: unknown, says: string]>([
  ['nothing', undefined, NO_CLIENT],
  ['a pool', { connect: () => undefined }, NO_CLIENT],
  ['a client that it knows nothing of', { $transaction: () => undefined }, NO_CLIENT],
  ['the client of a transaction', transactionOf(prisma()), NO_CLIENT],
  [
    'SQLite',
    prisma('sqlite', '@prisma/adapter-better-sqlite3'),
    'fromPrisma(prisma) has no statements for the provider sqlite: it must be postgresql or mysql.',
  ],
  [
    'SQL Server',
    prisma('sqlserver', '@prisma/adapter-mssql'),
    'fromPrisma(prisma) has no statements for the provider sqlserver: it must be postgresql or mysql.',
  ],
  [
    'another adapter',
    prisma('postgresql', '@prisma/adapter-neon'),
    'fromPrisma(prisma) does not know the adapter of the PrismaClient (@prisma/adapter-neon): it must be @prisma/adapter-pg or @prisma/adapter-mariadb.',
  ],
  [
    'a client without an adapter',
    prisma('postgresql', 'none'),
    'fromPrisma(prisma) does not know the adapter of the PrismaClient (none): it must be @prisma/adapter-pg or @prisma/adapter-mariadb.',
  ],
])('refuses %s, and says what to write', (_what, given, says) => {
  expect(() => fromPrisma(given as PrismaDatabase)).toThrow(new PaymentsConfigError(says));
});

it.each<[what: string, handle: unknown, says: string]>([
  ['nothing', null, 'Prisma needs the client of an open transaction here'],
  ['a PrismaClient itself', prisma(), 'Prisma needs the client of an open transaction here'],
  [
    'a transaction of another PrismaClient',
    transactionOf(prisma()),
    'The transaction is of another PrismaClient than fromPrisma() has',
  ],
])('refuses %s as the transaction of the application', (_what, handle, says) => {
  expect(() => fromPrisma(prisma()).wrapTransaction(handle)).toThrow(says);
});

it.each<[how: string, bound: unknown]>([
  ['as the client is', ofClient],
  ['by nothing', undefined],
])('refuses a transaction that is bound %s: its statements would run outside of it', (_how, bound) => {
  const client = prisma();
  const transaction = { ...transactionOf(client), _createPrismaPromise: bound };
  expect(() => fromPrisma(client).wrapTransaction(transaction)).toThrow(
    'does not know this version of Prisma',
  );
});

it.each([
  ['postgresql', PG, 'postgres'],
  ['mysql', '@prisma/adapter-mariadb', 'mysql'],
])('has the statements of the database of the client: %s', (provider, adapter, dialect) => {
  expect(fromPrisma(prisma(provider, adapter)).dialect).toBe(dialect);
});
