// The parts of the ORMs that are used: they are not installed where the types are checked.

declare module 'typeorm' {
  export abstract class EntityManager {
    readonly queryRunner?: QueryRunner;
    insert(entity: unknown, row: object): Promise<unknown>;
    update(entity: unknown, conditions: object, changes: object): Promise<{ readonly affected?: number }>;
    query(text: string, parameters?: unknown[]): Promise<unknown>;
    transaction<T>(run: (manager: EntityManager) => Promise<T>): Promise<T>;
    increment(entity: unknown, conditions: object, column: string, by: number): Promise<unknown>;
    decrement(
      entity: unknown,
      conditions: object,
      column: string,
      by: number,
    ): Promise<{ readonly affected?: number }>;
    findOneBy<Entity>(entity: new () => Entity, conditions: object): Promise<Entity | null>;
    findOneByOrFail<Entity>(entity: new () => Entity, conditions: object): Promise<Entity>;
    findOneOrFail<Entity>(entity: new () => Entity, options: object): Promise<Entity>;
    findOne<Entity>(entity: new () => Entity, options: object): Promise<Entity | null>;
    createQueryBuilder(): QueryBuilder;
  }
  export function Not(value: unknown): unknown;
  export interface QueryBuilder {
    insert(): QueryBuilder;
    into(entity: unknown): QueryBuilder;
    values(row: object): QueryBuilder;
    orIgnore(): QueryBuilder;
    returning(column: string): QueryBuilder;
    execute(): Promise<{ readonly raw: unknown }>;
  }
  export function MoreThanOrEqual(value: number): object;
  export abstract class Repository<Entity> {
    readonly manager: EntityManager;
    find(options: object): Promise<Entity[]>;
    findBy(conditions: object): Promise<Entity[]>;
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
    query(text: string): Promise<unknown>;
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
  export function Not(value: unknown): object;
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

declare module '@nestjs-cls/transactional' {
  export interface TransactionalAdapterOptions<Tx, Options> {
    wrapWithTransaction: (
      options: Options,
      run: () => Promise<unknown>,
      setTx: (tx?: Tx) => void,
    ) => Promise<unknown>;
    getFallbackInstance: () => Tx;
  }
  type AdapterOptions<Adapter> = Adapter extends { optionsFactory: (connection: never) => infer Made }
    ? Made
    : never;
  export interface TransactionalAdapter<Connection, Tx, Options> {
    readonly connectionToken?: unknown;
    optionsFactory: (connection: Connection) => TransactionalAdapterOptions<Tx, Options>;
  }
  export const Propagation: { readonly RequiresNew: unique symbol; readonly Nested: unique symbol };
  export function Transactional(propagation?: symbol): MethodDecorator;
  export class TransactionHost<Adapter> {
    readonly tx: ReturnType<AdapterOptions<Adapter>['getFallbackInstance']>;
    withTransaction<T>(run: () => Promise<T>): Promise<T>;
    withTransaction<T>(
      propagation: symbol,
      options: Parameters<AdapterOptions<Adapter>['wrapWithTransaction']>[0],
      run: () => Promise<T>,
    ): Promise<T>;
  }
  export const ClsPluginTransactional: new (options: object) => object;
}

declare module '@nestjs-cls/transactional-adapter-typeorm' {
  import { type TransactionalAdapterOptions } from '@nestjs-cls/transactional';
  import { type DataSource, type EntityManager } from 'typeorm';

  export interface TypeOrmTransactionOptions {
    isolationLevel: string;
  }
  export class TransactionalAdapterTypeOrm {
    constructor(options: { readonly dataSourceToken: unknown });
    optionsFactory: (
      dataSource: DataSource,
    ) => TransactionalAdapterOptions<EntityManager, TypeOrmTransactionOptions>;
  }
}

declare module 'nestjs-cls' {
  import { type DynamicModule } from '@nestjs/common';

  export const ClsModule: { forRoot(options: object): DynamicModule };
}

declare module 'mysql2' {
  export function createPool(options: object): object;
}

declare module 'mysql2/promise' {
  export interface PoolConnection {
    query(text: string | { readonly sql: string }, values?: unknown[]): Promise<[unknown, unknown]>;
    execute(text: string | { readonly sql: string }, values?: unknown[]): Promise<[unknown, unknown]>;
    beginTransaction(): Promise<void>;
    commit(): Promise<void>;
    rollback(): Promise<void>;
    release(): void;
    destroy(): void;
  }
  export interface Pool {
    query(text: string, values?: unknown[]): Promise<[unknown, unknown]>;
    on(event: 'connection', listen: (connection: { query(text: string): unknown }) => void): unknown;
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
  export function ne(column: unknown, value: unknown): Sql;
  export function and(...conditions: readonly (Sql | undefined)[]): Sql | undefined;
}

declare module 'drizzle-orm/pg-core' {
  export function pgTable<Columns>(name: string, columns: Columns): Columns;
  export function text(name?: string): { primaryKey(): unknown; notNull(): unknown };
  export function numeric(config: { readonly precision: number; readonly scale: number }): {
    notNull(): unknown;
  };
  export function integer(name: string): { notNull(): unknown };
}

declare module 'drizzle-orm/node-postgres' {
  import { type DrizzlePool } from 'nestjs-payments/drizzle';

  export interface NodePgDatabase {
    update(table: unknown): {
      set(values: object): { where(condition: unknown): Promise<{ readonly rowCount: number | null }> };
    };
    insert(table: unknown): { values(row: object): Promise<unknown> };
    $count(table: unknown, condition?: unknown): Promise<number>;
    execute(query: unknown): Promise<unknown>;
    transaction<T>(run: (tx: NodePgDatabase) => Promise<T>, config?: object): Promise<T>;
  }
  export function drizzle(client: unknown): NodePgDatabase & { readonly $client: DrizzlePool };
}

declare module 'drizzle-orm/mysql-core' {
  export const mysqlTable: <Columns>(name: string, columns: Columns) => Columns;
  export function varchar(name: string, options: { readonly length: number }): { primaryKey(): unknown };
  export function int(name: string): { notNull(): unknown };
}

declare module 'drizzle-orm/mysql2' {
  import { type NodePgDatabase } from 'drizzle-orm/node-postgres';

  export type MySql2Database = NodePgDatabase;
  export function drizzle(
    options: object,
  ): MySql2Database & { readonly $client: object & { getConnection: unknown } };
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
    select(column: string): Query;
    values(row: object): Query;
    execute(): Promise<unknown>;
    executeTakeFirst(): Promise<{ readonly numUpdatedRows: bigint }>;
    executeTakeFirstOrThrow(): Promise<object>;
  }
  export class Kysely<Tables> {
    constructor(options: object);
    updateTable(name: keyof Tables & string): Query;
    selectFrom(name: keyof Tables & string): Query;
    insertInto(name: keyof Tables & string): Query;
    transaction(): { execute<T>(run: (trx: Kysely<Tables>) => Promise<T>): Promise<T> };
    startTransaction(): { execute(): Promise<ControlledTransaction<Tables>> };
    getExecutor(): KyselyExecutor;
    destroy(): Promise<void>;
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
  export const CamelCasePlugin: new () => object;
  export const ParseJSONResultsPlugin: new () => object;
  export const MysqlDialect: new (options: { readonly pool: unknown }) => object;
  export const sql: { raw(text: string): { execute(db: object): Promise<unknown> } };
}

declare module 'knex' {
  import { type Readable } from 'node:stream';
  import { type KnexClient } from 'nestjs-payments/knex';

  export interface Query extends Promise<number> {
    where(condition: object): Query;
    whereNot(condition: object): Query;
    first(): Promise<object | undefined>;
    increment(column: string, by: number): Query;
    update(changes: object): Query;
    insert(row: object): Query;
    select(column: string): Query;
    stream(): Readable;
  }
  export interface Knex {
    (table: string): Query;
    raw(text: string): Promise<unknown> & { stream(): Readable };
    transaction<T>(run: (trx: Knex.Transaction) => Promise<T>, config?: object): Promise<T>;
    transactionProvider(config?: object): () => Promise<Knex.Transaction>;
    readonly client: KnexClient;
    destroy(): Promise<void>;
    readonly migrate: { latest(options: object): Promise<unknown> };
  }
  export namespace Knex {
    class Client {
      acquireConnection(): Promise<unknown>;
      releaseConnection(connection: unknown): Promise<void>;
    }
    interface Transaction extends Knex {
      commit(): Promise<unknown>;
      rollback(): Promise<unknown>;
      isCompleted(): boolean;
    }
  }
  const pack: { readonly knex: (options: object) => Knex };
  export default pack;
}

declare module '@mikro-orm/core' {
  export interface EntityManager {
    readonly global: boolean;
    fork(options?: object): EntityManager;
    transactional<T>(run: (em: EntityManager) => T | Promise<T>, options?: object): Promise<T>;
    begin(): Promise<void>;
    commit(): Promise<void>;
    rollback(): Promise<void>;
    flush(): Promise<void>;
    execute(text: string, parameters?: unknown[]): Promise<unknown>;
    getTransactionContext(): unknown;
    isInTransaction(): boolean;
    getEventManager(): {
      registerSubscriber(subscriber: {
        beforeTransactionCommit(args: { readonly em: EntityManager }): Promise<void>;
        afterTransactionCommit(): void;
      }): void;
    };
    getConnection(type?: 'read' | 'write'): object;
    findOneOrFail<Entity>(entity: unknown, conditions: object): Promise<Entity>;
    nativeUpdate(entity: unknown, conditions: object, changes: object): Promise<number>;
    create(entity: unknown, row: object): object;
    persist(entity: object): EntityManager;
  }
  export class MikroORM {
    static init(options: object): Promise<MikroORM>;
    static initSync(options: object): MikroORM;
    readonly em: EntityManager;
    close(force?: boolean): Promise<void>;
  }
  export const EntitySchema: new (options: object) => object;
  export function raw(text: string): object;
  export function Transactional(): MethodDecorator;
}

declare module '@mikro-orm/postgresql' {
  import { type Knex } from 'knex';

  export { MikroORM, EntitySchema, raw, type EntityManager } from '@mikro-orm/core';
  export { type Knex } from 'knex';
  /** A client of Knex, which its types do not say. */
  export class PostgreSqlKnexDialect {
    readonly ormConfig: object;
  }
  export function knex(options: { readonly client: typeof Knex.Client }): object;
}

declare module '@mikro-orm/mariadb' {
  export { MikroORM, EntitySchema, raw, type EntityManager } from '@mikro-orm/core';
}

declare module 'sequelize' {
  export interface Model {
    increment(column: string, options: object): Promise<unknown>;
    findOrCreate(options: object): Promise<readonly [row: object, isNew: boolean]>;
    addHook(
      event: string,
      name: string,
      hook: (row: object, options: { readonly transaction: Transaction }) => Promise<unknown>,
    ): void;
    removeHook(event: string, name: string): void;
  }
  export interface Transaction {
    commit(): Promise<void>;
    rollback(): Promise<void>;
    /** They are not in its types, and there anyway: `page-types.spec.ts` lets no document use them. */
    readonly sequelize: Sequelize;
    cleanup(): void;
    forceCleanup(): Promise<void>;
  }
  export class Sequelize {
    constructor(url: string, options: object);
    readonly models: Readonly<Record<string, Model>>;
    define(name: string, columns: object, options: object): Model;
    getDialect(): string;
    query(text: string, options?: object): Promise<readonly [unknown[], unknown]>;
    transaction(options?: object): Promise<Transaction>;
    transaction<T>(run: (transaction: Transaction) => Promise<T>): Promise<T>;
    transaction<T>(options: object, run: (transaction: Transaction) => Promise<T>): Promise<T>;
    close(): Promise<void>;
  }
  export const DataTypes: { readonly STRING: object; readonly INTEGER: object };
  const pack: { readonly Sequelize: typeof Sequelize; readonly DataTypes: typeof DataTypes };
  export default pack;
}

declare module 'prisma/config' {
  export function defineConfig(options: object): object;
}

declare module '@prisma/adapter-pg' {
  export const PrismaPg: new (pool: unknown, options?: { readonly schema: string }) => object;
}

declare module '@prisma/adapter-mariadb' {
  export const PrismaMariaDb: new (config: string | object, options?: object) => object;
}

declare module '#prisma' {
  export interface Credits {
    update(change: { where: object; data: object }): Promise<unknown>;
    create(row: { readonly data: object }): Promise<unknown>;
    findFirst(what: { where: object }): Promise<{ readonly times: number } | null>;
  }
  export interface Client {
    readonly credit: Credits;
    readonly effect: { create(row: { readonly data: object }): Promise<unknown> };
    readonly order: {
      update(change: { where: object; data: object }): Promise<unknown>;
      updateMany(change: { where: object; data: object }): Promise<{ readonly count: number }>;
      findFirstOrThrow(what: { where: object }): Promise<object>;
    };
    readonly shipment: { create(row: { readonly data: object }): Promise<unknown> };
    $queryRaw(text: TemplateStringsArray, ...values: unknown[]): Promise<unknown>;
    $queryRawUnsafe(text: string, ...values: unknown[]): Promise<unknown>;
    $executeRaw(text: TemplateStringsArray, ...values: unknown[]): Promise<number>;
    $executeRawUnsafe(text: string, ...values: unknown[]): Promise<number>;
    $transaction<T>(run: (tx: Client) => Promise<T>, options?: object): Promise<T>;
    $transaction(steps: readonly Promise<unknown>[]): Promise<readonly unknown[]>;
  }
  export namespace Prisma {
    type TransactionClient = Client;
  }
  export class PrismaClient implements Client {
    constructor(options: { readonly adapter: object; readonly transactionOptions?: object });
    readonly credit: Credits;
    readonly effect: Client['effect'];
    readonly order: Client['order'];
    readonly shipment: Client['shipment'];
    $connect(): Promise<void>;
    $disconnect(): Promise<void>;
    $extends(extension: object): PrismaClient;
    $queryRaw: Client['$queryRaw'];
    $queryRawUnsafe: Client['$queryRawUnsafe'];
    $executeRaw: Client['$executeRaw'];
    $executeRawUnsafe: Client['$executeRawUnsafe'];
    $transaction: Client['$transaction'];
  }
}

declare module '#prisma-mysql' {
  export { PrismaClient, type Client } from '#prisma';
}
