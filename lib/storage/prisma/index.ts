/**
 * Lets `sqlStorage()` use the application's Prisma.
 *
 * @module nestjs-payments/prisma
 */

export { fromPrisma } from './from-prisma.js';
export { type PrismaDatabase, type PrismaRunner } from './prisma-database.js';
