import { type DynamicModule, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  type BankDisbursementDto,
  DisbursementsService,
  type InboxStore,
  type JournalStore,
  OnPayment,
  type PaymentEventContext,
  PaymentsModule,
  type PaymentsModuleOptions,
  type PaymentsStorage,
} from 'nestjs-payments';
import { type ApplicationTransaction, paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { bankRequest } from './gateway-answers.js';
import { scheme, secret } from './webhook-app.js';
import { WebhooksController } from './webhooks.controller.js';

/** Where a process can die on its way from a row to the payment of it. */
export const DEATHS = [
  'before COMMIT',
  'during COMMIT',
  'after COMMIT',
  'while the request is under way',
  'before the answer is written down',
  'after the answer',
] as const;
export type PayerDeath = (typeof DEATHS)[number];

export const WAYS = ['its own transaction', 'a handler'] as const;

/** What the process of the application is told. */
export interface PayerSettings {
  /** Tells `runPayer` which database to open. */
  readonly place: string;
  readonly gateway: PaymentsModuleOptions;
  readonly reference: string;
  readonly by: (typeof WAYS)[number];
  readonly death: PayerDeath;
}

/** The payout of a row. */
export function payoutOf(reference: string): BankDisbursementDto {
  return { ...bankRequest, bank_code: 'BSB', reference };
}

/** What an application does with its database. */
export interface PayerDatabase {
  readonly storage: PaymentsStorage;
  begin(): Promise<ApplicationTransaction> | ApplicationTransaction;
  /** Writes a row of the table `invoices` in a transaction. */
  write(transaction: unknown, reference: string): unknown;
}

/** Writes a row and enlists its payout when an order is paid. */
@Injectable()
export class Invoices {
  /** What a handler uses. */
  static database: Pick<PayerDatabase, 'write'>;
  /** The row and the payout. */
  static reference = '';
  static enlisted: () => void = () => undefined;

  constructor(private readonly payouts: DisbursementsService) {}

  @OnPayment('payment.success')
  async paid(_event: unknown, { transaction }: PaymentEventContext): Promise<void> {
    const { database, reference, enlisted } = Invoices;
    await database.write(transaction, reference);
    await this.payouts.enlistBank(transaction, payoutOf(reference));
    enlisted();
  }
}

@Module({})
class PayerModule {
  static on(options: PaymentsModuleOptions): DynamicModule {
    return {
      module: PayerModule,
      imports: [PaymentsModule.forRoot(options)],
      controllers: [WebhooksController],
      providers: [Invoices],
    };
  }
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

/** A COMMIT before whose answer the process may die, or right after it if there is nothing to wait for. */
async function ending<T>(committing: T | Promise<T>, reach: (point: PayerDeath) => void): Promise<T> {
  setImmediate(reach, 'during COMMIT');
  const said = await committing;
  reach('during COMMIT');
  return said;
}

/** A storage around whose COMMIT of a delivery, and around whose record of an answer, the process may die. */
function dying(inner: PaymentsStorage, reach: (point: PayerDeath) => void): PaymentsStorage {
  const claim: InboxStore['claim'] = async (delivery, leaseMs) => {
    const result = await inner.inbox.claim(delivery, leaseMs);
    if (result.result !== 'claimed') return result;
    const { claim: held } = result;
    const finish = async (): Promise<boolean> => {
      const said = await ending(held.finish(), reach);
      reach('after COMMIT');
      return said;
    };
    return { result: 'claimed', claim: Object.assign(Object.create(held) as typeof held, { finish }) };
  };
  const replace: JournalStore['replace'] = async (version, record, leaseMs) => {
    const isAnswered = record.state === 'accepted';
    if (isAnswered) reach('before the answer is written down');
    const replaced = await inner.journal.replace(version, record, leaseMs);
    if (isAnswered) reach('after the answer');
    return replaced;
  };
  return {
    ...inner,
    inbox: Object.assign(Object.create(inner.inbox) as InboxStore, { claim }),
    journal: Object.assign(Object.create(inner.journal) as JournalStore, { replace }),
  };
}

/** A whole application, which enlists a payout and dies on its way. */
export async function runPayer(
  open: (place: string) => PayerDatabase | Promise<PayerDatabase>,
): Promise<void> {
  const { place, gateway, reference, by, death } = JSON.parse(process.argv[2] ?? '') as PayerSettings;
  const reach = (point: PayerDeath): void => {
    if (point === death) die();
  };
  const database = await open(place);
  Object.assign(Invoices, {
    database,
    reference,
    enlisted: () => {
      reach('before COMMIT');
    },
  });
  const storage = dying(database.storage, reach);
  const options = { ...gateway, webhooks: { scheme, secrets: [secret] }, storage };
  const app = await NestFactory.create(PayerModule.on(options), { logger: false });
  await app.listen(0, '127.0.0.1');
  if (by === 'a handler') {
    const body = JSON.stringify(paymentEvent('payment.success', { reference: `order of ${reference}` }));
    const headers = { 'content-type': 'application/json', ...signWebhook({ scheme, secret, body }) };
    await fetch(`${await app.getUrl()}/webhooks/payments`, { method: 'POST', headers, body });
    return;
  }
  const { handle, commit } = await database.begin();
  await database.write(handle, reference);
  const planned = await app.get(DisbursementsService).enlistBank(handle, payoutOf(reference));
  reach('before COMMIT');
  await ending(commit(), reach);
  reach('after COMMIT');
  await planned.send();
}
