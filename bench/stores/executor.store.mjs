import { migrateSqlStorage, sqlStorage } from 'nestjs-payments/sql';
import { fenceOf, replayed } from './replay.mjs';
import { handleWebhook } from './work.mjs';

const SAMPLE = `bench-sample-${process.pid}`;
/** What most executors set on MySQL. */
const AUTOCOMMIT = { before: 'SET autocommit = 0', after: 'SET autocommit = 1' };

/** On the package's tables in the database itself, which lose the rows of the bench at the end. */
export async function openStore({ url, orm, dialect }) {
  const { [orm]: open } = await import('./orms.mjs');
  const { executor, statement, transaction, close, settings = AUTOCOMMIT } = await open(dialect, url);
  await migrateSqlStorage(executor);
  const heard = { before: [], inside: [] };
  const storage = sqlStorage({ executor: listening(executor, heard), transactional: true });
  await handleWebhook(storage, `${SAMPLE}-first`); // checks the tables once
  heard.before = [];
  heard.inside = [];
  await handleWebhook(storage, SAMPLE);
  const { before, inside } = heard;
  const sample = { reference: SAMPLE, fence: await fenceOf(executor, SAMPLE) };
  // What the executor sends by itself. At the end it comes after COMMIT, where an ORM gives no place to it.
  if (dialect === 'mysql') {
    inside.unshift({ text: settings.before });
    inside.push({ text: settings.after });
  }
  return {
    url,
    storage: sqlStorage({ executor, transactional: true }),
    /** The statements that the package sends for a webhook, with the same ORM and nothing between. */
    async plain(reference) {
      const { params, hear } = replayed(sample, reference);
      const send = (handle, { text, params: given, givesRows = false }) =>
        statement(handle, text, params(given), givesRows);
      for (const each of before) hear(await send(undefined, each));
      await transaction(async (handle) => {
        for (const each of inside) await send(handle, each);
      });
    },
    async close() {
      await executor.execute("DELETE FROM payments_inbox WHERE reference LIKE 'bench-%'");
      await close();
    },
  };
}

/** Takes down what the package sends. */
function listening(executor, heard) {
  const runner = (given, where) => ({
    ...given,
    query: (text, params) => (
      heard[where].push({ text, params, givesRows: true }),
      given.query(text, params)
    ),
    execute: (text, params) => (heard[where].push({ text, params }), given.execute(text, params)),
  });
  return {
    ...runner(executor, 'before'),
    transaction: (work, options) => executor.transaction((given) => work(runner(given, 'inside')), options),
  };
}
