import { type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { optionsFromEnvironment } from '../config/environment-options.js';
import { type PaymentsModuleOptions } from '../config/payments-options.js';
import { type ValuesOf } from './command-line.js';
import { type CommandContext, text } from './command.js';
import { withStorage } from './command-storage.js';
import { applicationEnvironment } from './environment.js';
import { LogLines } from './log-lines.js';
import { UsageError } from './usage-error.js';

/** What every command that runs in Nest is told of its application. */
export const APPLICATION_OPTIONS = {
  database: text(
    '<path>',
    'a file of SQLite, or a folder of PGlite that ends with .pglite, instead of DATABASE_URL',
  ),
  schema: text('<name>', 'schema of PostgreSQL, the same as in postgresStorage() (default: public)'),
  auth: text('<name>', 'how keys are sent: headers or bearer (default: headers)'),
  dotenv: text(
    '<file>',
    'variables of the application; variables that are set win (default: .env, if it exists)',
  ),
};

interface ApplicationArguments {
  readonly auth: 'headers' | 'bearer' | undefined;
  readonly values: ValuesOf<typeof APPLICATION_OPTIONS>;
}

interface ApplicationCommand {
  /** Whether a database file that is missing is made. */
  readonly mayBeNew: boolean;
  /** For people: what to do if the file is missing, and must not be made. */
  readonly missing: (file: string) => string;
  readonly options?: Partial<PaymentsModuleOptions>;
  /** The modules beside `PaymentsModule`. */
  readonly imports: readonly DynamicModule[];
}

/** What a command works with. */
export interface CommandApplication {
  readonly app: INestApplicationContext;
  readonly log: LogLines;
  /** Where payments are written down, for people. */
  readonly place: string;
  /** The gateway's address. */
  readonly gateway: string;
}

/**
 * Starts Nest with payments for the work of a command, and ends it after that.
 *
 * @throws UsageError if the options say nothing sensible.
 * @throws PaymentsConfigError if the keys or the database are missing.
 */
export function withApplication<T>(
  { mayBeNew, missing, options: more, imports }: ApplicationCommand,
  { auth, values }: ApplicationArguments,
  context: CommandContext,
  work: (application: CommandApplication) => Promise<T>,
): Promise<T> {
  const environment = applicationEnvironment(values.dotenv, context);
  const { database, schema, dotenv } = values;
  const url = environment['DATABASE_URL']?.trim();
  // It may hide the one of the file: another storage does not know what was paid.
  if (url === '' && database === undefined) {
    throw new UsageError(
      'DATABASE_URL is set, but empty: give it its value, unset it, or write --database <path>.',
    );
  }
  const where = { url: url ?? '', database, schema, dotenv, folder: context.folder, mayBeNew, missing };
  // Nobody delivers webhooks to a command.
  const { webhooks: _notHere, ...options } = optionsFromEnvironment(environment);
  return withStorage(where, async ({ storage, place }) => {
    const { NestFactory } = await import('@nestjs/core');
    const { PaymentsModule } = await import('nestjs-payments');
    const log = new LogLines(context.terminal);
    const module = {
      module: CommandModule,
      imports: [PaymentsModule.forRoot({ ...options, ...(auth && { auth }), ...more, storage }), ...imports],
    };
    const settings = { logger: log, abortOnError: false };
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest takes an object
    const app = await NestFactory.createApplicationContext(module, settings);
    try {
      return await work({ app, log, place, gateway: options.baseUrl });
    } finally {
      await app.close();
    }
  });
}

/** Nest needs a class for what it imports. */
class CommandModule {
  readonly command = 'nestjs-payments';
}
