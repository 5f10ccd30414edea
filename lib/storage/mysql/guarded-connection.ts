import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { type TransactionGuard, withMembers } from '../sql/transaction-guard.js';
import { type Mysql2Connection } from './mysql2-pool.js';

type Text = string | { readonly sql: string };
type Run = (text: Text, ...more: unknown[]) => Promise<[unknown, unknown]>;

/** What a connection has that its type does not show. */
interface ConnectionParts {
  readonly query: Run;
  readonly execute: Run;
  readonly prepare: (text: Text) => Promise<Prepared>;
}

interface Prepared {
  execute(parameters?: unknown): Promise<[unknown, unknown]>;
  close(): Promise<void>;
}

/** What else of a connection would end its transaction. */
const ENDS = ['beginTransaction', 'commit', 'rollback', 'changeUser', 'end', Symbol.asyncDispose] as const;
/** Without a promise, whose rejection nobody would await. */
const ENDS_AT_ONCE = ['release', 'destroy', 'close'] as const;

/** What handlers get: everything that a connection has, but its statements go through the guard. */
export function guardedView(connection: Mysql2Connection, guard: TransactionGuard): Mysql2Connection {
  return withMembers(connection, guardedMethods(connection as unknown as ConnectionParts, guard));
}

function guardedMethods(connection: ConnectionParts, guard: TransactionGuard): object {
  const textOf = (given: Text): string => (typeof given === 'string' ? given : given.sql);
  const run =
    (method: 'query' | 'execute'): Run =>
    (given, ...more) =>
      guard.run(textOf(given), () => connection[method](given, ...more));
  const prepare = (given: Text): Promise<Prepared> =>
    guard.run(textOf(given), async () => {
      const prepared = await connection.prepare(given);
      return {
        execute: (parameters) => guard.run(textOf(given), () => prepared.execute(parameters)),
        close: () => prepared.close(),
      };
    });
  const throwEnd = (): never => {
    throw guard.refusal();
  };
  return {
    ...Object.fromEntries(ENDS.map((name) => [name, () => guard.refuseEnd()])),
    ...Object.fromEntries(ENDS_AT_ONCE.map((name) => [name, throwEnd])),
    query: run('query'),
    execute: run('execute'),
    prepare,
    get connection(): never {
      throw new PaymentsStorageError(
        "The driver's own connection would go around the webhook transaction: use query(), execute() and prepare() of context.transaction.",
      );
    },
  };
}
