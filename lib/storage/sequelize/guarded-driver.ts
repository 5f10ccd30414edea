import { EventEmitter } from 'node:events';
import { type CallbackGuard, type OwnConnection } from '../sql/callback-guard.js';

type Statement = string | { readonly text?: string; readonly sql?: string };
type Send = (statement: Statement, ...more: unknown[]) => unknown;
/** What a driver calls in the end. */
type Answer = (error: unknown, result?: unknown) => void;

/** A connection of `pg` or `mysql2`, with callbacks. */
export interface DriverConnection {
  query: Send;
  /** Of mysql2: runs a prepared statement. */
  execute?: Send;
  /** Of mysql2: closes it. */
  destroy?(): void;
}

const METHODS = ['query', 'execute'] as const;

/** Asks a driver with a callback. */
export function asked(send: Send, statement: Statement, ...more: unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    send(statement, ...more, (error: unknown, result: unknown) => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as the driver says it
      if (error) reject(error);
      else resolve(result);
    });
  });
}

/**
 * Every statement of a transaction comes by the connection of the driver, until COMMIT or ROLLBACK is answered. Sequelize
 * itself refuses what comes later.
 *
 * @returns What goes around the guard.
 */
export function guardDriver(connection: DriverConnection, guard: CallbackGuard): OwnConnection {
  const query = connection.query.bind(connection);
  const undo = METHODS.map((method) => {
    const own = Object.getOwnPropertyDescriptor(connection, method);
    return (): void => {
      if (own) Object.defineProperty(connection, method, own);
      else Reflect.deleteProperty(connection, method);
    };
  });
  const run = async (text: string, work: () => Promise<unknown>): Promise<unknown> => {
    const wasOver = guard.isOver;
    const sent = guard.run(text, work);
    const isLast = guard.isOver && !wasOver;
    try {
      return await sent;
    } finally {
      if (isLast) for (const each of undo) each();
    }
  };
  for (const method of METHODS) {
    const send = connection[method]?.bind(connection);
    if (!send) continue;
    connection[method] = (statement, ...more) => {
      const text = typeof statement === 'string' ? statement : (statement.text ?? statement.sql ?? '');
      const answer = more.at(-1);
      if (typeof answer !== 'function') return run(text, () => Promise.resolve(send(statement, ...more)));
      run(text, () => asked(send, statement, ...more.slice(0, -1))).then((result) => {
        (answer as Answer)(null, result);
      }, answer as Answer);
      // Sequelize sets the limit of its listeners.
      return new EventEmitter();
    };
  }
  return { send: (text) => asked(query, text), close: () => connection.destroy?.() };
}
