import { type PayoutBatches } from 'nestjs-payments/batches';
import { type Reconciliation } from 'nestjs-payments/reconciliation';
import { type INestApplication, type Type } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Mocked } from 'vitest';
import {
  type CollectionPayment,
  type CollectionsService,
  type DisbursementsService,
  type BankDisbursement,
  type NameLookupService,
  type PaymentsAccounts,
  type PaymentsInbox,
  type PaymentsJournal,
  type PaymentsModuleOptions,
  type WalletBalance,
  type WebhookScheme,
} from 'nestjs-payments';
import { type drizzle } from 'drizzle-orm/node-postgres';
import { type Knex } from 'knex';
import { type MikroORM } from '@mikro-orm/core';
import { type Kysely } from 'kysely';
import { type PrismaClient } from '#prisma';
import { type Sequelize } from 'sequelize';
import { type DataSource } from 'typeorm';
import { type Mysql2Pool } from 'nestjs-payments/mysql';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';

/** What the examples in the documentation comments take for granted. It has types only: examples are compiled, not run. */
export declare class Shop {
  readonly collections: CollectionsService;
  readonly disbursements: DisbursementsService;
  readonly names: NameLookupService;
  readonly journal: PaymentsJournal;
  readonly orders: { markPaid(reference: string, amount: string): Promise<void> };
  readonly sockets: { tellCustomer(reference: string): void };
  waitForTheWebhook(reference: string | undefined): Promise<void>;
}

export declare class NodeSDK {
  constructor(options: { readonly serviceName: string });
  start(): void;
}

/** An entity of TypeORM. */
export declare class Order {
  readonly reference: string;
  readonly amount: string;
}

export declare const AppModule: Type;
export declare const CheckoutService: Type;
export declare const accounts: PaymentsAccounts;
export declare const batches: PayoutBatches;
export declare const reconciliation: Reconciliation;
export declare const user: { readonly id: string };
export declare const alarm: (reference: string) => void;
export declare const app: INestApplication;
export declare const client: PoolClient;
export declare const collections: Mocked<CollectionsService>;
export declare const dataSource: DataSource;
export declare const error: unknown;
export declare const form: { readonly phone: string; readonly digest: string };
export declare const histogram: { record(value: number, attributes: object): void };
export declare const invoice: { readonly id: string };
export declare const inbox: PaymentsInbox;
export declare const journal: PaymentsJournal;
export declare const options: PaymentsModuleOptions;
export declare const mysqlPool: Mysql2Pool;
export declare const knex: Knex;
export declare const kysely: Kysely<never>;
export declare const mikroOrm: MikroORM;
export declare const drizzleDatabase: ReturnType<typeof drizzle>;
export declare const prisma: PrismaClient;
export declare const order: { readonly id: string };
export declare const payments: readonly CollectionPayment[];
export declare const payout: BankDisbursement;
export declare const sandbox: PaymentsSandbox;
export declare const scheme: WebhookScheme;
export declare const secret: string;
export declare const signedBy: (key: Uint8Array, body: Uint8Array, signature: string | undefined) => boolean;
export declare const sequelize: Sequelize;
export declare const supplier: { readonly name: string };
export declare const total: string;
export declare const url: string;
export declare const verified: { readonly account_name: string };
export declare const wallet: WalletBalance;
