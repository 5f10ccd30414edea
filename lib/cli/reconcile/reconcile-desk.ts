import { optionsFromEnvironment, type PaymentsFactoryOptions } from '../../config/environment-options.js';
import { type Reconciliation, type Statement } from '../../reconciliation/index.js';
import { type CommandContext } from '../command.js';
import { type CommandStorage, withStorage } from '../command-storage.js';
import { applicationEnvironment } from '../environment.js';
import { LogLines } from '../log-lines.js';
import { nestCore } from '../nest-core.js';
import { asUsage } from '../usage-error.js';
import { type ReconcileOrder } from './reconcile-order.js';
import { inWordsOfOptions, statementOptions } from './statement-file.js';

/** What the actions work with. */
export interface ReconcileDesk {
  readonly order: ReconcileOrder;
  readonly context: CommandContext;
  readonly reconciliation: Reconciliation;
  /** That of the command line; undefined without one. */
  readonly statement: Statement | undefined;
}

type Work = (desk: ReconcileDesk) => Promise<number>;

interface Place extends CommandStorage {
  readonly order: ReconcileOrder;
  readonly context: CommandContext;
  readonly options: Omit<PaymentsFactoryOptions, 'webhooks'>;
  readonly openFile: ReturnType<typeof statementOptions>;
}

/** Starts Nest with payments and reconciliation, and ends it after the work. */
export function withDesk(order: ReconcileOrder, context: CommandContext, work: Work): Promise<number> {
  const openFile = statementOptions(order.values, context);
  const environment = applicationEnvironment(order.values.dotenv, context);
  const { database, schema } = order.values;
  const where = {
    url: environment['DATABASE_URL']?.trim() ?? '',
    database,
    schema,
    folder: context.folder,
    mayBeNew: false,
    missing: (file: string) =>
      `There is no ${file} here: payments are in the database of your application, so set DATABASE_URL, or write --database <path>.`,
  };
  // Nobody delivers webhooks to a command.
  const { webhooks: _notHere, ...options } = optionsFromEnvironment(environment);
  return withStorage(where, (storage) => withNest({ order, context, options, openFile, ...storage }, work));
}

async function withNest({ order, context, options, openFile, storage }: Place, work: Work): Promise<number> {
  const { NestFactory } = await nestCore('reconcile');
  const { csvStatement, Reconciliation, ReconciliationModule } =
    await import('nestjs-payments/reconciliation');
  const { PaymentsModule } = await import('nestjs-payments');
  const { auth } = order;
  const statement = openFile && asUsage(() => csvStatement(openFile()), inWordsOfOptions);
  const module = {
    module: ReconcileCommandModule,
    imports: [
      PaymentsModule.forRoot({ ...options, ...(auth && { auth }), storage }),
      ReconciliationModule.forRoot(),
    ],
  };
  const settings = { logger: new LogLines(context.terminal), abortOnError: false };
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest takes an object
  const app = await NestFactory.createApplicationContext(module, settings);
  try {
    return await work({ order, context, reconciliation: app.get(Reconciliation), statement });
  } finally {
    await app.close();
  }
}

/** Nest needs a class for what it imports. */
class ReconcileCommandModule {
  readonly command = 'reconcile';
}
