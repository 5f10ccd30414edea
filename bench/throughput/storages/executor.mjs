import * as orms from '../../stores/orms.mjs';
import { migrateSqlStorage, sqlStorage } from 'nestjs-payments/sql';
import { Recorder } from '../recorder.mjs';
import { idsOfRows } from './sql-ids.mjs';

const TABLES = ['payments_journal', 'payments_inbox'];
/** What most executors set on MySQL. */
const AUTOCOMMIT = { before: 'SET autocommit = 0', after: 'SET autocommit = 1' };

/** Through the application's ORM. */
export async function openStorage({ url, orm, dialect, poolSize }) {
  const {
    executor,
    statement,
    transaction,
    close,
    settings = AUTOCOMMIT,
  } = await orms[orm](dialect, url, poolSize);
  await migrateSqlStorage(executor);
  const send = (handle, { text, params = [], givesRows = false }) =>
    statement(handle, text, params, givesRows);
  return {
    storage: sqlStorage({ executor, transactional: true }),
    record() {
      const recorder = new Recorder();
      return {
        recorder,
        storage: sqlStorage({ executor: listening(executor, recorder), transactional: true }),
        close() {},
      };
    },
    target: {
      send,
      inside: (work) =>
        transaction(async (handle) => {
          // What the executor sends by itself. At the end it comes after COMMIT, where an ORM gives no place to it.
          if (dialect === 'mysql') await send(handle, { text: settings.before });
          await work(handle);
          if (dialect === 'mysql') await send(handle, { text: settings.after });
        }),
      idsOf: idsOfRows,
    },
    async clear() {
      for (const table of TABLES) await executor.execute(`TRUNCATE TABLE ${table}`);
    },
    close,
  };
}

/** Takes down what the package sends. */
function listening(executor, recorder) {
  const runner = (given, inside) => ({
    ...given,
    query: (text, params) =>
      recorder.sent({ text, params, givesRows: true }, given.query(text, params), inside),
    execute: (text, params) => recorder.sent({ text, params }, given.execute(text, params), inside),
  });
  return {
    ...runner(executor),
    transaction: (work, options) =>
      executor.transaction(async (given) => {
        const inside = recorder.enter();
        const result = await work(runner(given, inside));
        recorder.leave(inside);
        return result;
      }, options),
  };
}
