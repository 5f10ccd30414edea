/** Each entry point, and the optional peers that its users have. `pg` is only described, never loaded. */
export const ENTRY_POINTS = {
  '.': [],
  './testing': [],
  './sandbox': [],
  './redis': ['ioredis'],
  './postgres': [],
  './sqlite': [],
  './sql': [],
  './typeorm': [],
  './knex': [],
  './kysely': [],
  './drizzle': [],
  './mikro-orm': [],
  './sequelize': [],
  './prisma': [],
  './mysql': [],
  './batches': ['csv-parse'],
  './reconciliation': ['csv-parse'],
  './bullmq': ['@nestjs/bullmq', 'bullmq'],
  './terminus': ['@nestjs/terminus'],
  './opentelemetry': ['@opentelemetry/api'],
};

/** What an application writes to import one. */
export function specifierOf(entry) {
  return `nestjs-payments${entry.slice(1)}`;
}
