import { type CloseException } from '../../reconciliation/index.js';
import { exceptionLines } from '../../reconciliation/report/plain-text.js';
import { EXIT, exitCodeOf } from './exit-code.js';
import { type ReconcileSession } from './reconcile-session.js';

/** `--exceptions` */
export async function listExceptions({ args, context, reconciliation }: ReconcileSession): Promise<number> {
  const { data } = context.terminal;
  const open: CloseException[] = [];
  for await (const exception of reconciliation.exceptions({ state: 'open' })) open.push(exception);
  if (args.values.json) {
    data(JSON.stringify(open));
  } else {
    data(open.length === 0 ? 'Nothing is open.' : `Open: ${open.length}.`);
    for (const exception of open) printException(exception, data);
  }
  return exitCodeOf(open);
}

/** `--explain` */
export async function explainException({ args, context, reconciliation }: ReconcileSession): Promise<number> {
  const { data } = context.terminal;
  const { explain = '', note = '', json } = args.values;
  const exception = await reconciliation.explain(explain, { by: args.by, note });
  if (json) data(JSON.stringify(exception));
  else printException(exception, data);
  return EXIT.fine;
}

/** In UTC: exceptions may be of days with several zones. */
function printException(exception: CloseException, data: (line: string) => void): void {
  for (const line of ['', ...exceptionLines(exception, (moment) => moment.toISOString())]) data(line);
}
