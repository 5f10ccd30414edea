// A replica of the kill test whose handler makes its effects with injected code of an ORM, which has never heard of the
// delivery's transaction: every second one in a transaction of its own.
import { PrismaClient } from '#prisma';
import { PrismaPg } from '@prisma/adapter-pg';
import { paymentsPool, typeOrmDriver } from 'nestjs-payments/postgres';
import { type Pool } from 'pg';
import { DataSource, EntitySchema } from 'typeorm';
import { insist } from '../kill/insist.js';
import { STORAGES } from '../kill/plan.js';
import { type MakeEffect, startReplica } from '../kill/replica-application.js';

const isOdd = (reference: string): boolean => /[13579]$/.test(reference);

async function withTypeOrm(pool: Pool): Promise<MakeEffect> {
  const effects = new EntitySchema({
    name: 'effects',
    columns: {
      id: { type: 'int', primary: true, generated: 'increment' },
      reference: { type: 'text' },
      outcome: { type: 'text' },
    },
  });
  const options = { type: 'postgres', driver: typeOrmDriver(pool), entities: [effects] };
  // PostgreSQL may be away at the moment: it is crashed too.
  const source = await insist(() => new DataSource(options).initialize());
  const repository = source.getRepository<{ reference: string; outcome: string }>(effects);
  return (reference, outcome) =>
    isOdd(reference)
      ? source.transaction((manager) => manager.insert(effects, { reference, outcome }))
      : repository.insert({ reference, outcome });
}

function withPrisma(pool: Pool): MakeEffect {
  const prisma = new PrismaClient({ adapter: new PrismaPg(paymentsPool(pool), { schema: 'public' }) });
  return async (reference, outcome) => {
    const data = { reference, outcome };
    return isOdd(reference)
      ? prisma.$transaction((tx) => tx.effect.create({ data }))
      : prisma.effect.create({ data });
  };
}

await startReplica((pool, mode) => (STORAGES[mode].orm === 'Prisma' ? withPrisma(pool) : withTypeOrm(pool)));
