import { type INestApplicationContext, type ModuleMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  DisbursementsService,
  PaymentsJournal,
  PaymentsModule,
  type PaymentsModuleOptions,
  type PaymentsStorage,
} from 'nestjs-payments';
import {
  type BatchEngine,
  type BatchPolicy,
  inProcess,
  type PayoutBatch,
  PayoutBatches,
  PayoutBatchesModule,
  type PayoutLine,
} from 'nestjs-payments/batches';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';

export { knownLines } from './known-lines.js';

/** What an application with batches is made of. */
export interface BatchesAppOptions {
  readonly sandbox: PaymentsSandbox;
  readonly storage: PaymentsStorage;
  readonly policy?: BatchPolicy;
  readonly engine?: BatchEngine;
  readonly now?: () => number;
  readonly concurrency?: number;
  /** Further modules and listeners of the application. */
  readonly metadata?: Pick<ModuleMetadata, 'imports' | 'providers'>;
  /** Further options of the account. */
  readonly options?: Partial<PaymentsModuleOptions>;
}

/** An application that pays batches. */
export interface BatchesApp {
  readonly app: INestApplicationContext;
  readonly batches: PayoutBatches;
  readonly disbursements: DisbursementsService;
  readonly journal: PaymentsJournal;
}

export async function startBatchesApp({
  sandbox,
  storage,
  engine = inProcess(),
  options = {},
  metadata: { imports = [], providers = [] } = {},
  ...batches
}: BatchesAppOptions): Promise<BatchesApp> {
  const module = await Test.createTestingModule({
    imports: [
      PaymentsModule.forRoot({
        ...sandbox.moduleOptions(),
        storage,
        rate: { perSecond: 10_000 },
        ...options,
      }),
      PayoutBatchesModule.forRoot({ engine, ...batches }),
      ...imports,
    ],
    providers,
  }).compile();
  const app = module.createNestApplication({ logger: false });
  await app.init();
  return {
    app,
    batches: app.get(PayoutBatches),
    disbursements: app.get(DisbursementsService),
    journal: app.get(PaymentsJournal),
  };
}

/** Creates, checks and approves a batch. */
export async function approvedBatch(
  batches: PayoutBatches,
  name: string,
  lines: readonly PayoutLine[],
): Promise<PayoutBatch> {
  const batch = await batches.create(name, lines, { by: 'maker' });
  await batch.check({ by: 'maker' });
  await batch.approve({ by: 'checker' });
  return batch;
}
