import { type Reconciliation, type Statement } from '../../reconciliation/index.js';
import { type CommandContext } from '../command.js';
import { nestCore } from '../nest-core.js';
import { asUsage } from '../usage-error.js';
import { withApplication } from '../with-application.js';
import { type ReconcileArguments } from './reconcile-arguments.js';
import { inWordsOfOptions, statementOptions } from './statement-file.js';

/** What the actions work with. */
export interface ReconcileSession {
  readonly args: ReconcileArguments;
  readonly context: CommandContext;
  readonly reconciliation: Reconciliation;
  /** That of the command line; undefined without one. */
  readonly statement: Statement | undefined;
}

/** Starts Nest with payments and reconciliation, and ends it after the work. */
export async function withSession(
  args: ReconcileArguments,
  context: CommandContext,
  work: (session: ReconcileSession) => Promise<number>,
): Promise<number> {
  const openFile = statementOptions(args.values, context);
  await nestCore('reconcile');
  const { csvStatement, Reconciliation, ReconciliationModule } =
    await import('nestjs-payments/reconciliation');
  const command = {
    mayBeNew: false,
    missing: (file: string) =>
      `There is no ${file} here: payments are in the database of your application, so set DATABASE_URL, or write --database <path>.`,
    imports: [ReconciliationModule.forRoot()],
  };
  const statement = openFile && asUsage(() => csvStatement(openFile()), inWordsOfOptions);
  return withApplication(command, args, context, ({ app }) =>
    work({ args, context, reconciliation: app.get(Reconciliation), statement }),
  );
}
