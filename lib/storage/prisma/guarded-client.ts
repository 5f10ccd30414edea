import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { type CallbackGuard } from '../sql/callback-guard.js';
import { OwnerContext } from '../sql/owner-context.js';
import { type PrismaRunner } from './prisma-database.js';

/** One call of a model or of `$queryRaw`, right before Prisma puts it together with others. */
interface Request {
  /** Absent if the call is SQL. */
  readonly model?: string;
  /** The text and the values, or an object that holds both. */
  readonly args?: readonly unknown[] | { readonly sql?: string };
  readonly transaction?: Partial<TransactionInfo>;
}

/** Prisma hands a copy of it on with every call that belongs to the transaction. */
interface TransactionInfo {
  readonly id: string;
  /** Of an array: counts those who await it. */
  readonly lock?: { then(): unknown };
  [ENTRY]?: Entry;
}

interface Engine {
  transaction(
    action: 'start' | 'commit' | 'rollback',
    headers: unknown,
    given: Partial<TransactionInfo> & { readonly newTxId?: string },
  ): Promise<TransactionInfo>;
}

/** A `PrismaClient` before any extension: what its type does not show. */
export interface OriginalClient extends PrismaRunner {
  readonly _engine: Engine;
  /** Makes each call. That of a transaction belongs to the transaction. */
  readonly _createPrismaPromise?: unknown;
  _executeRequest: (request: Request) => Promise<unknown>;
}

/** A transaction that the package began. */
interface Entry {
  readonly guard: CallbackGuard;
  /** Names for the savepoints of the nested transactions that are open. Prisma's own ones are not seen here. */
  readonly savepoints: string[];
}

const ENTRY = Symbol('nestjs-payments transaction');
/** Names for the savepoints of nested transactions, as the guard follows them. */
export const NESTED = /^prisma_nested_\d+$/;

/** Where Prisma keeps the transaction of a client. */
const SCOPE = Symbol.for('prisma.client.transaction.scope_context');
export const IN_AN_ARRAY =
  'Prisma runs an array of $transaction([…]) on another connection, where it would stay if the webhook transaction is undone: write ' +
  'context.transaction.$transaction(async (tx) => …), or await one call after the other.';

const clients = new WeakMap<OriginalClient, GuardedClient>();

/** Whose transaction is about to begin. */
const beginning = new OwnerContext<GuardedClient, CallbackGuard | undefined>();

/**
 * Sends what belongs to the transactions of the package through their guards: calls of models and SQL, nested
 * transactions and their ends. Prisma's promises run only when some code awaits them, and Prisma sends those of one
 * tick together. So each is checked when it runs, and before that.
 */
export class GuardedClient {
  private readonly open = new Map<string, Entry>();

  private constructor(client: OriginalClient) {
    const execute = client._executeRequest;
    const { open } = this;
    // Extended clients and those of transactions inherit it.
    client._executeRequest = function (this: unknown, request) {
      const send = (): Promise<unknown> => Reflect.apply(execute, this, [request]);
      const { lock, [ENTRY]: entry } = request.transaction ?? {};
      if (entry) return entry.guard.run(textOf(request), async () => answerOf(await send()));
      const elsewhere = lock && open.get(transactionOf(this) ?? '');
      if (!elsewhere) return send();
      // The others of the array wait for it.
      void lock.then();
      return Promise.reject(elsewhere.guard.fail(IN_AN_ARRAY));
    };
    const engine = client._engine;
    const send = engine.transaction.bind(engine);
    engine.transaction = (action, headers, given) => {
      const sent = (): Promise<TransactionInfo> => send(action, headers, given);
      if (action !== 'start') return this.end(given, action, sent);
      return given.newTxId === undefined ? this.start(sent) : this.nest(given.newTxId, sent);
    };
  }

  /** The same for all who use the client. */
  static of(client: OriginalClient): GuardedClient {
    const known = clients.get(client) ?? new GuardedClient(client);
    clients.set(client, known);
    return known;
  }

  /** Runs what begins a transaction; the guard then decides what runs in it. */
  begin<T>(guard: CallbackGuard, work: () => T): T {
    return beginning.run(this, guard, work);
  }

  /** Runs what the transaction is for: another one that it begins is not guarded. */
  begun<T>(work: () => T): T {
    return beginning.run(this, undefined, work);
  }

  private async start(send: () => Promise<TransactionInfo>): Promise<TransactionInfo> {
    const guard = beginning.get(this);
    const info = await send();
    if (!guard) return info;
    const entry: Entry = { guard, savepoints: [] };
    this.open.set(info.id, entry);
    return { ...info, [ENTRY]: entry };
  }

  private async nest(id: string, send: () => Promise<TransactionInfo>): Promise<TransactionInfo> {
    const entry = this.open.get(id);
    if (!entry) return send();
    const name = `prisma_nested_${entry.savepoints.length}`;
    const info = entry.guard.run(`SAVEPOINT ${name}`, () => {
      entry.savepoints.push(name);
      return send();
    });
    return { ...(await info), [ENTRY]: entry };
  }

  private async end(
    { id = '', [ENTRY]: entry }: Partial<TransactionInfo>,
    action: 'commit' | 'rollback',
    send: () => Promise<TransactionInfo>,
  ): Promise<TransactionInfo> {
    if (!entry) return send();
    if (entry.guard.isOwn) {
      try {
        return await send();
      } finally {
        this.open.delete(id);
      }
    }
    const name = entry.savepoints.at(-1);
    if (name === undefined) return entry.guard.refuseEnd();
    const words = action === 'commit' ? 'RELEASE SAVEPOINT' : 'ROLLBACK TO SAVEPOINT';
    return entry.guard.run(`${words} ${name}`, () => {
      entry.savepoints.pop();
      return send();
    });
  }
}

/** The transaction of the client through which a call came. */
function transactionOf(client: unknown): string | undefined {
  return (client as { readonly [SCOPE]?: { readonly txId?: string } })[SCOPE]?.txId;
}

function textOf({ model, args }: Request): string {
  if (model !== undefined || !args) return '';
  return 'sql' in args ? (args.sql ?? '') : String((args as readonly unknown[])[0]);
}

/** Prisma drops what comes after a statement that failed in the same tick, and answers it with nothing. */
function answerOf(answer: unknown): unknown {
  if (answer !== undefined) return answer;
  throw new PaymentsStorageError(
    'Prisma did not run this, because another call of the same tick had failed: await one call before you begin the next one.',
  );
}
