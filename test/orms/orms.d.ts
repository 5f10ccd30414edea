// The parts of the ORMs that are used: they are not installed where the types are checked.

declare module 'typeorm' {
  export interface EntityManager {
    readonly queryRunner?: QueryRunner;
    insert(entity: unknown, row: object): Promise<unknown>;
    update(entity: unknown, conditions: object, changes: object): Promise<{ readonly affected?: number }>;
    query(text: string, parameters?: unknown[]): Promise<unknown>;
    transaction<T>(run: (manager: EntityManager) => Promise<T>): Promise<T>;
    increment(entity: unknown, conditions: object, column: string, by: number): Promise<unknown>;
    decrement(entity: unknown, conditions: object, column: string, by: number): Promise<unknown>;
    findOneByOrFail<Entity>(entity: new () => Entity, conditions: object): Promise<Entity>;
  }
  export abstract class Repository<Entity> {
    readonly manager: EntityManager;
    find(options: object): Promise<Entity[]>;
    findOneBy(conditions: object): Promise<Entity | null>;
    findOneByOrFail(conditions: object): Promise<Entity>;
    insert(entity: Entity): Promise<unknown>;
    update(conditions: object, changes: object): Promise<unknown>;
    increment(conditions: object, column: string, by: number): Promise<unknown>;
  }
  export interface QueryRunner {
    readonly manager: EntityManager;
    readonly isTransactionActive: boolean;
    databaseConnection: unknown;
    startTransaction(level?: string): Promise<void>;
    commitTransaction(): Promise<void>;
    rollbackTransaction(): Promise<void>;
    query(text: string, parameters?: unknown[]): Promise<unknown>;
    query(
      text: string,
      parameters: unknown[] | undefined,
      structured: true,
    ): Promise<{ readonly records: unknown[]; affected?: number | null }>;
    release(): Promise<void>;
  }
  export class DataSource {
    constructor(options: object);
    readonly manager: EntityManager;
    readonly isInitialized: boolean;
    readonly options: { readonly type: string };
    initialize(): Promise<this>;
    destroy(): Promise<void>;
    runMigrations(): Promise<readonly unknown[]>;
    createQueryRunner(): QueryRunner;
    transaction<T>(run: (manager: EntityManager) => Promise<T>): Promise<T>;
    transaction<T>(level: string, run: (manager: EntityManager) => Promise<T>): Promise<T>;
    getRepository<Entity>(entity: unknown): Repository<Entity>;
  }
  export interface MigrationInterface {
    up(runner: QueryRunner): Promise<void>;
    down(runner: QueryRunner): Promise<void>;
  }
  export const EntitySchema: new (options: object) => object;
  export function Entity(name: string): ClassDecorator;
  export function PrimaryColumn(type: string): PropertyDecorator;
  export function Column(type: string, options?: object): PropertyDecorator;
  export interface MigrationInterface {
    up(runner: QueryRunner): Promise<unknown>;
    down(runner: QueryRunner): Promise<unknown>;
  }
}

declare module 'typeorm-0.3' {
  export { DataSource, EntitySchema, type EntityManager } from 'typeorm';
}

declare module '@nestjs/typeorm' {
  import { type DynamicModule } from '@nestjs/common';

  export const TypeOrmModule: {
    forRootAsync(options: object): DynamicModule;
    forFeature(entities: readonly unknown[]): DynamicModule;
  };
  export function InjectRepository(entity: unknown): ParameterDecorator;
  export function InjectDataSource(): ParameterDecorator;
}

declare module 'mysql2/promise' {
  export interface PoolConnection {
    query(text: string, values?: unknown[]): Promise<[unknown, unknown]>;
    execute(text: string, values?: unknown[]): Promise<[unknown, unknown]>;
    beginTransaction(): Promise<void>;
    commit(): Promise<void>;
    rollback(): Promise<void>;
    release(): void;
    destroy(): void;
  }
  export interface Pool {
    query(text: string, values?: unknown[]): Promise<[unknown, unknown]>;
    getConnection(): Promise<PoolConnection>;
    end(): Promise<void>;
  }
  export function createPool(options: object): Pool;
}

declare module 'drizzle-orm' {
  export interface Sql {
    readonly queryChunks: readonly unknown[];
  }
  export function sql(text: TemplateStringsArray, ...values: readonly unknown[]): Sql;
  export function eq(column: unknown, value: unknown): Sql;
  export function and(...conditions: readonly Sql[]): Sql;
}

declare module 'drizzle-orm/pg-core' {
  export function pgTable<Columns>(name: string, columns: Columns): Columns;
  export function text(name?: string): { primaryKey(): unknown; notNull(): unknown };
  export function integer(name: string): { notNull(): unknown };
}

declare module 'drizzle-orm/node-postgres' {
  import { type DrizzlePool } from 'nestjs-payments/drizzle';

  export interface NodePgDatabase {
    update(table: unknown): {
      set(values: object): { where(condition: unknown): Promise<{ readonly rowCount: number | null }> };
    };
    insert(table: unknown): { values(row: object): Promise<unknown> };
    execute(query: unknown): Promise<unknown>;
    transaction<T>(run: (tx: NodePgDatabase) => Promise<T>, config?: object): Promise<T>;
  }
  export function drizzle(client: unknown): NodePgDatabase & { readonly $client: DrizzlePool };
}

declare module 'drizzle-orm/node-postgres/migrator' {
  import { type NodePgDatabase } from 'drizzle-orm/node-postgres';

  export function migrate(db: NodePgDatabase, options: object): Promise<void>;
}

declare module 'kysely' {
  import { type KyselyExecutor } from 'nestjs-payments/kysely';

  export interface Query {
    set(change: object | ((expression: (...parts: unknown[]) => unknown) => object)): Query;
    where(column: string, operator: string, value: unknown): Query;
    values(row: object): Query;
    execute(): Promise<unknown>;
    executeTakeFirst(): Promise<{ readonly numUpdatedRows: bigint }>;
  }
  export class Kysely<Tables> {
    constructor(options: object);
    updateTable(name: keyof Tables & string): Query;
    insertInto(name: keyof Tables & string): Query;
    transaction(): { execute<T>(run: (trx: Kysely<Tables>) => Promise<T>): Promise<T> };
    startTransaction(): { execute(): Promise<ControlledTransaction<Tables>> };
    getExecutor(): KyselyExecutor;
  }
  export interface Command {
    execute(): Promise<unknown>;
  }
  export class ControlledTransaction<Tables> extends Kysely<Tables> {
    commit(): Command;
    rollback(): Command;
    savepoint(name: string): Command;
    rollbackToSavepoint(name: string): Command;
    releaseSavepoint(name: string): Command;
  }
  export const PostgresDialect: new (options: { readonly pool: unknown }) => object;
  export const sql: { raw(text: string): { execute(db: object): Promise<unknown> } };
}

declare module 'knex' {
  import { type KnexClient } from 'nestjs-payments/knex';

  export interface Query extends Promise<number> {
    where(condition: object): Query;
    increment(column: string, by: number): Query;
    update(changes: object): Query;
    insert(row: object): Query;
  }
  export interface Knex {
    (table: string): Query;
    raw(text: string): Promise<unknown>;
    transaction<T>(run: (trx: Knex.Transaction) => Promise<T>, config?: object): Promise<T>;
    transactionProvider(config?: object): () => Promise<Knex.Transaction>;
    readonly client: KnexClient;
    readonly migrate: { latest(options: object): Promise<unknown> };
  }
  export namespace Knex {
    interface Transaction extends Knex {
      commit(): Promise<unknown>;
      rollback(): Promise<unknown>;
      isCompleted(): boolean;
    }
  }
  const pack: { readonly knex: (options: object) => Knex };
  export default pack;
}

declare module 'prisma/config' {
  export function defineConfig(options: object): object;
}

declare module '@prisma/adapter-pg' {
  export const PrismaPg: new (pool: unknown, options: { readonly schema: string }) => object;
}

declare module '#prisma' {
  export interface Credits {
    update(change: { where: object; data: object }): Promise<unknown>;
    findFirst(what: { where: object }): Promise<{ readonly times: number } | null>;
  }
  export interface Client {
    readonly credit: Credits;
    readonly effect: { create(row: { readonly data: object }): Promise<unknown> };
    readonly order: {
      updateMany(change: { where: object; data: object }): Promise<{ readonly count: number }>;
    };
    readonly shipment: { create(row: { readonly data: object }): Promise<unknown> };
    $transaction<T>(run: (tx: Client) => Promise<T>, options?: object): Promise<T>;
    $transaction(steps: readonly Promise<unknown>[]): Promise<readonly unknown[]>;
  }
  export type PrismaClient = Client;
  export const PrismaClient: new (options: { readonly adapter: object }) => PrismaClient;
}
