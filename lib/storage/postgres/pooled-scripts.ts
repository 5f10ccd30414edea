import { type RunScript, type SqlResult, type SqlScript } from '../sql/sql-database.js';
import { GroupCommit } from './group-commit.js';
import {
  autocommit,
  BEGIN_READ_COMMITTED,
  type PreparingPool,
  type RunStatement,
  scripts,
  withConnection,
} from './pooled-connection.js';

/** Runs operations on the pool. One that is all or nothing has a transaction, any other one statement. */
export function pooledScripts(pool: PreparingPool): RunScript {
  const alone = autocommit(pool);
  const atOnce = scripts(alone);
  const sharing = scripts(mayShare(pool, alone));
  return (script) => {
    if (script.atomic) return inTransaction(pool, script);
    return script.brief ? sharing(script) : atOnce(script);
  };
}

/** Statements that are prepared may share a commit; others run alone. */
function mayShare(pool: PreparingPool, alone: RunStatement): RunStatement {
  const group = new GroupCommit(pool, alone);
  return (text, values) => {
    const name = pool.prepared?.nameOf(text);
    if (name === undefined || !values) return alone(text, values);
    return group.run({ name: `${name}_shared`, text, values });
  };
}

function inTransaction(pool: PreparingPool, script: SqlScript): Promise<SqlResult> {
  return withConnection(pool, async ({ run }) => {
    await run(BEGIN_READ_COMMITTED);
    const result = await scripts(run)(script);
    await run('COMMIT');
    return result;
  });
}
