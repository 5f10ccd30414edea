import { insideNested } from '../knex/from-knex.js';
import { type CallbackGuard } from '../sql/callback-guard.js';
import { type MikroOrmEntityManager } from './mikro-orm-instance.js';

/** What of an `EntityManager` would leave its transaction. */
interface ManagerParts {
  transactional: (work: (inner: ManagerParts) => unknown, ...more: unknown[]) => Promise<unknown>;
  fork: (options?: object) => ManagerParts;
  flush: () => Promise<void>;
  begin: () => Promise<never>;
  commit: () => Promise<never>;
  rollback: () => Promise<never>;
  setTransactionContext: (context: unknown) => void;
  resetTransactionContext: () => void;
  getTransactionContext(): object | undefined;
  getEventManager(): { dispatchEvent: (...given: unknown[]) => unknown };
}

/** Keeps a manager, and those of its nested transactions, in the transaction that only the package ends. */
export function guardManager(manager: MikroOrmEntityManager, guard: CallbackGuard): void {
  const parts = manager as unknown as ManagerParts;
  keepInside(parts, guard);
  // The application's subscribers run before COMMIT too, inside of what the package sends.
  const events = parts.getEventManager();
  const dispatch = events.dispatchEvent.bind(events);
  events.dispatchEvent = (...given) => guard.foreign(() => dispatch(...given));
}

function keepInside(manager: ManagerParts, guard: CallbackGuard): void {
  const fork = manager.fork.bind(manager);
  const transactional = manager.transactional.bind(manager);
  const inside = manager.getTransactionContext();
  Object.assign(manager, {
    begin: () => guard.refuseEnd(),
    commit: () => guard.refuseEnd(),
    rollback: () => guard.refuseEnd(),
    // A transaction beside this one, and work without any, begin so: the manager would write outside meanwhile.
    resetTransactionContext: () => {
      throw guard.refusal();
    },
    // A flush gives the one that it has.
    setTransactionContext: (context) => {
      if (context !== inside) throw guard.refusal();
    },
    // Also what it does with the manager outside belongs to it.
    transactional: (work, ...more) =>
      transactional(
        (inner) => insideNested(inner.getTransactionContext() ?? inner, guard, () => work(inner)),
        ...more,
      ),
    fork: (options) => {
      const forked = fork(options);
      if (forked.getTransactionContext()) keepInside(forked, guard);
      else followInto(forked, guard);
      return forked;
    },
  } satisfies Partial<ManagerParts>);
}

/** A fork has a transaction of its own, unless MikroORM puts it into a nested one. */
function followInto(forked: ManagerParts, guard: CallbackGuard): void {
  const enter = forked.setTransactionContext.bind(forked);
  forked.setTransactionContext = (context) => {
    enter(context);
    keepInside(forked, guard);
  };
}

/** Writes what handlers have changed and not flushed. From then on takes nothing more. */
export async function flushLast(manager: MikroOrmEntityManager, guard: CallbackGuard): Promise<void> {
  await manager.flush();
  // MikroORM flushes once more before COMMIT, which would write what was changed after the record.
  manager.flush = () => guard.run('', () => Promise.resolve());
}
