import 'reflect-metadata';
import { migrateSqlStorage, sqlStorage } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { DataSource } from 'typeorm';
import { fenceOf, replayed } from './replay.mjs';
import { handleWebhook } from './work.mjs';

const SAMPLE = `bench-sample-${process.pid}`;

/** On the package's tables in the database itself, which lose the rows of the bench at the end. */
export async function openStore({ url, type }) {
  const heard = [];
  const dataSource = await new DataSource({
    type,
    url,
    poolSize: 4,
    logger: new StatementsHeard(heard),
  }).initialize();
  const executor = fromTypeOrm(dataSource);
  await migrateSqlStorage(executor);
  const storage = sqlStorage({ executor, transactional: true });
  await handleWebhook(storage, `${SAMPLE}-first`); // checks the tables once
  heard.length = 0;
  await handleWebhook(storage, SAMPLE);
  const statements = [...heard];
  const sample = { reference: SAMPLE, fence: await fenceOf(executor, SAMPLE) };
  return {
    url,
    storage,
    /** The statements that the package sends for a webhook, with the same ORM and nothing between. */
    plain: (reference) => replay(dataSource, statements, replayed(sample, reference)),
    async close() {
      await dataSource.query("DELETE FROM payments_inbox WHERE reference LIKE 'bench-%'");
      await dataSource.destroy();
    },
  };
}

/** Takes down what TypeORM sends. */
class StatementsHeard {
  constructor(heard) {
    this.heard = heard;
  }

  logQuery(text, values = []) {
    this.heard.push({ text, values });
    this.heard.splice(0, this.heard.length - 20);
  }

  logQueryError() {}
  logQuerySlow() {}
  logSchemaBuild() {}
  logMigration() {}
  log() {}
}

async function replay(dataSource, statements, { params, hear }) {
  let runner;
  for (const { text, values } of statements) {
    if (text === 'START TRANSACTION') {
      runner ??= dataSource.createQueryRunner();
      await runner.startTransaction();
    } else if (text === 'COMMIT') {
      await runner.commitTransaction();
    } else if (/^SET TRANSACTION/.test(text)) {
      runner = dataSource.createQueryRunner();
      await runner.query(text);
    } else {
      hear(await (runner ?? dataSource).query(text, params(values)));
    }
  }
  await runner.release();
}
