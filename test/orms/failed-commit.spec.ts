import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { describeWith } from '../support/services.js';
import { EXECUTORS } from './executors.js';
import { ON_MARIADB, ON_POSTGRES } from './orm-database.js';

describeWith([ON_POSTGRES.service], 'a COMMIT that PostgreSQL refuses', () => {
  it.each(EXECUTORS)('is shown with its cause by $name, and gives the only connection back', async (orm) => {
    const { executor, close } = await ON_POSTGRES.open(orm, 1);
    await executor.execute('CREATE TABLE once (a int UNIQUE DEFERRABLE INITIALLY DEFERRED)');
    const ended = executor.transaction(async ({ handle }) => {
      await orm.send(handle as never, 'INSERT INTO once VALUES (1), (1)');
    });
    const error: unknown = await ended.catch((reason: unknown) => reason);
    expect(inspect(error, { depth: 5 })).toContain('23505');
    expect(await executor.query('SELECT a FROM once')).toEqual([]);
    await close();
  });
});

describeWith([ON_MARIADB.service], 'a COMMIT on a connection to MariaDB that was killed', () => {
  it('is shown with its cause by Drizzle', async () => {
    const orm = EXECUTORS.find(({ name }) => name === 'Drizzle')!;
    const { executor, close } = await ON_MARIADB.open(orm, 1);
    const ended = executor.transaction(async ({ handle }) => {
      await orm.send(handle as never, 'KILL CONNECTION_ID()').catch(() => undefined);
    });
    const error: unknown = await ended.then(
      () => 'it was committed',
      (reason: unknown) => reason,
    );
    expect(inspect(error, { depth: 5 })).toContain('Failed query: commit');
    await close();
  });
});
