import { type DataSource, type EntityManager } from 'typeorm';
import { type ApplicationTransaction } from 'nestjs-payments/testing';
import { type Ending, type HandlerWay } from './handler-cases.js';
import { type TypeOrm } from './typeorm-database.js';

/** The accounts as an entity. */
export function creditsEntity(packed: TypeOrm): object {
  return new packed.EntitySchema({
    name: 'credits',
    columns: { reference: { type: 'varchar', primary: true }, times: { type: 'int' } },
  });
}

/** How handlers write with an `EntityManager`. */
export function managerWay(
  credits: object,
): Pick<HandlerWay<EntityManager>, 'credit' | 'nested' | 'besideNested' | 'leaveOpen'> {
  return {
    credit: (manager, reference) => manager.increment(credits, { reference }, 'times', 1),
    nested: (manager, work) => manager.transaction(work),
    besideNested: 'is refused',
    leaveOpen: (manager) => manager.queryRunner!.startTransaction(),
  };
}

export const MANAGER_ENDINGS: readonly Ending<EntityManager>[] = [
  ['COMMIT', (manager) => manager.query('COMMIT')],
  ['ROLLBACK', (manager) => manager.query('/* all */ ROLLBACK')],
  ['COMMIT after another statement', (manager) => manager.query('SELECT 1; COMMIT')],
  ['commitTransaction()', (manager) => manager.queryRunner!.commitTransaction()],
  ['release()', (manager) => manager.queryRunner!.release()],
];

/** Begins a transaction of the application. */
export async function beginOn(dataSource: DataSource): Promise<ApplicationTransaction> {
  const runner = dataSource.createQueryRunner();
  await runner.startTransaction();
  const end = async (how: Promise<void>): Promise<void> => {
    await how;
    await runner.release();
  };
  return {
    handle: runner.manager,
    commit: () => end(runner.commitTransaction()),
    rollback: () => end(runner.rollbackTransaction()),
  };
}
