// A replica of the kill test whose handler makes its effects with an ORM, every second one in a transaction of the ORM's
// own. Injected code has never heard of the delivery's transaction.
import { PrismaClient } from '#prisma';
import { PrismaPg } from '@prisma/adapter-pg';
import { paymentsPool, typeOrmDriver } from 'nestjs-payments/postgres';
import { sqlStorage } from 'nestjs-payments/sql';
import { fromTypeOrm } from 'nestjs-payments/typeorm';
import { type Pool } from 'pg';
import { DataSource, type EntityManager, EntitySchema } from 'typeorm';
import { insist } from '../kill/insist.js';
import { STORAGES } from '../kill/plan.js';
import { type DatabaseUse, startReplica } from '../kill/replica-application.js';

const isOdd = (reference: string): boolean => /[13579]$/.test(reference);

const Effects = new EntitySchema({
  name: 'effects',
  columns: {
    id: { type: 'int', primary: true, generated: 'increment' },
    reference: { type: 'text' },
    outcome: { type: 'text' },
  },
});

/** PostgreSQL may be away at the moment: it is crashed too. */
function openTypeOrm(pool: Pool): Promise<DataSource> {
  const options = { type: 'postgres', driver: typeOrmDriver(pool), entities: [Effects] };
  return insist(() => new DataSource(options).initialize());
}

async function typeOrmTransaction(pool: Pool): Promise<DatabaseUse> {
  const executor = fromTypeOrm(await openTypeOrm(pool));
  return {
    storage: sqlStorage({ executor, transactional: true }),
    makeEffect: (reference, outcome, transaction) => {
      const manager = transaction as EntityManager;
      const row = { reference, outcome };
      return isOdd(reference)
        ? manager.transaction((nested) => nested.insert(Effects, row))
        : manager.insert(Effects, row);
    },
  };
}

async function injectedTypeOrm(pool: Pool): Promise<DatabaseUse> {
  const source = await openTypeOrm(pool);
  const repository = source.getRepository<{ reference: string; outcome: string }>(Effects);
  return {
    makeEffect: (reference, outcome) =>
      isOdd(reference)
        ? source.transaction((manager) => manager.insert(Effects, { reference, outcome }))
        : repository.insert({ reference, outcome }),
  };
}

function injectedPrisma(pool: Pool): DatabaseUse {
  const prisma = new PrismaClient({ adapter: new PrismaPg(paymentsPool(pool), { schema: 'public' }) });
  return {
    makeEffect: async (reference, outcome) => {
      const data = { reference, outcome };
      return isOdd(reference)
        ? prisma.$transaction((tx) => tx.effect.create({ data }))
        : prisma.effect.create({ data });
    },
  };
}

await startReplica((pool, mode) => {
  const { orm } = STORAGES[mode];
  if (orm === 'injected Prisma') return injectedPrisma(pool);
  return orm === 'injected TypeORM' ? injectedTypeOrm(pool) : typeOrmTransaction(pool);
});
