import { type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import {
  CollectionsService,
  DisbursementsService,
  PaymentsJournal,
  PaymentsModule,
  type PaymentsModuleOptions,
  type PaymentsStorage,
} from 'nestjs-payments';
import { postgresStorage } from 'nestjs-payments/postgres';
import {
  csvStatement,
  Reconciliation,
  ReconciliationModule,
  type ReconciliationPolicy,
  type Statement,
} from 'nestjs-payments/reconciliation';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { openAnyPostgres } from './any-postgres.js';
import { openPaymentsDatabase, type PaymentsDatabase } from './payments-database.js';
import { startSandbox } from './sandbox.js';
import { WebhooksController } from './webhooks.controller.js';

export const ZONE = 'Africa/Dar_es_Salaam';
export const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Dar es Salaam is three hours ahead of UTC, all year. */
const OFFSET = 3 * HOUR;

/** An emulator and a database whose clocks go together, for applications that close days. */
export interface ReconciliationPlace {
  readonly sandbox: PaymentsSandbox;
  readonly database: PaymentsDatabase;
  readonly storage: PaymentsStorage;
  /** Lets `ms` pass for the gateway and the database. */
  pass(ms: number): Promise<void>;
  /** Lets time pass until a time of the next day, and returns that day. */
  nextDay(hours: number): Promise<string>;
  /** The day that it is now. */
  today(): string;
  /** The gateway's statement of a day. */
  csv(day: string): string;
  /** The same for a close. */
  statement(day: string, change?: (csv: string) => string): Statement;
  close(): Promise<void>;
}

/** @param url A server of PostgreSQL, for other processes, too. @default any */
export async function startReconciliationPlace(url?: string): Promise<ReconciliationPlace> {
  const database = url === undefined ? await openAnyPostgres() : await openPaymentsDatabase(url);
  const sandbox = await startSandbox({ startingBalance: '100000000' });
  const storage = postgresStorage({ pool: database.pool, schema: database.schema });
  const ahead = (): number => sandbox.clock.now() - Date.now();
  const pass = async (ms: number): Promise<void> => {
    const before = ahead();
    await database.pass(ms);
    await sandbox.clock.advance(ms);
    // The emulator's clock arrives where it was sent, and so falls behind by the time that this took.
    await database.pass(ahead() - before - ms);
  };
  const csv = (day: string): string => {
    const from = Date.parse(day) - OFFSET;
    return sandbox.statement({ from: new Date(from), to: new Date(from + DAY) });
  };
  const today = (): string => new Date(sandbox.clock.now() + OFFSET).toISOString().slice(0, 10);
  return {
    sandbox,
    database,
    storage,
    pass,
    today,
    nextDay: async (hours) => {
      const local = sandbox.clock.now() + OFFSET;
      await pass(Math.ceil((local + 1) / DAY) * DAY + hours * HOUR - local);
      return today();
    },
    csv,
    statement: (day, change = (text) => text) =>
      csvStatement({ stream: change(csv(day)), name: `${day}.csv` }),
    close: () => database.close(),
  };
}

/** An application that closes days. */
export interface ReconciliationApp {
  readonly app: INestApplication;
  readonly reconciliation: Reconciliation;
  readonly collections: CollectionsService;
  readonly disbursements: DisbursementsService;
  readonly journal: PaymentsJournal;
}

/** What an application is made of. */
export interface ReconciliationAppOptions {
  readonly policy?: ReconciliationPolicy;
  readonly options?: Partial<PaymentsModuleOptions>;
  /** Comes before every route. */
  readonly middleware?: (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
  readonly imports?: readonly object[];
  readonly providers?: readonly object[];
}

export async function startReconciliationApp(
  { sandbox, storage }: Pick<ReconciliationPlace, 'sandbox' | 'storage'>,
  { policy, options = {}, middleware, imports = [], providers = [] }: ReconciliationAppOptions = {},
): Promise<ReconciliationApp> {
  const module = await Test.createTestingModule({
    imports: [
      PaymentsModule.forRoot({
        ...sandbox.moduleOptions(),
        storage,
        rate: { perSecond: 10_000 },
        retry: { maxAttempts: 1 },
        probe: false,
        ...options,
      }),
      ReconciliationModule.forRoot(policy && { policy }),
      ...(imports as []),
    ],
    controllers: [WebhooksController],
    providers: providers as [],
  }).compile();
  const app = module.createNestApplication({ logger: false });
  if (middleware) app.use(middleware);
  await app.listen(0, '127.0.0.1');
  return {
    app,
    reconciliation: app.get(Reconciliation),
    collections: app.get(CollectionsService),
    disbursements: app.get(DisbursementsService),
    journal: app.get(PaymentsJournal),
  };
}

const CUSTOMER = '255712345678';

/** Asks a customer for money, who pays at once; the webhook has been handled when it resolves. */
export async function collected(
  { collections }: Pick<ReconciliationApp, 'collections'>,
  sandbox: PaymentsSandbox,
  reference: string,
  amount: string,
): Promise<void> {
  await asked({ collections }, reference, amount);
  await sandbox.customer(CUSTOMER).approve(reference);
}

/** Asks a customer for money, who does nothing yet. */
export async function asked(
  { collections }: Pick<ReconciliationApp, 'collections'>,
  reference: string,
  amount: string,
): Promise<void> {
  await collections.mobileMoney({
    amount,
    reference,
    phone: CUSTOMER,
    customer_name: 'Asha Mushi',
    customer_email: 'asha@example.com',
  });
}

/** Pays somebody out; the gateway has accepted it when it resolves. */
export async function paidOut(
  { disbursements }: Pick<ReconciliationApp, 'disbursements'>,
  reference: string,
  amount: string,
): Promise<void> {
  await disbursements.bank({
    reference,
    bank_code: 'BSB',
    account_number: '0150000000999',
    account_name: 'Asha Mushi',
    amount,
    remarks: 'Supplier',
  });
}
