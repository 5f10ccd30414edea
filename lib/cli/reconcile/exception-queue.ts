import { type CloseException } from '../../reconciliation/index.js';
import { exceptionLines } from '../../reconciliation/report/plain-text.js';
import { EXIT, exitCodeOf } from './exit-code.js';
import { type ReconcileDesk } from './reconcile-desk.js';

/** `--exceptions` */
export async function listExceptions({ order, context, reconciliation }: ReconcileDesk): Promise<number> {
  const { data } = context.terminal;
  const open: CloseException[] = [];
  for await (const exception of reconciliation.exceptions({ state: 'open' })) open.push(exception);
  if (order.values.json) {
    data(JSON.stringify(open));
  } else {
    data(open.length === 0 ? 'Nothing is open.' : `Open: ${open.length}.`);
    for (const exception of open) sayException(exception, data);
  }
  return exitCodeOf(open);
}

/** `--explain` */
export async function explainException({ order, context, reconciliation }: ReconcileDesk): Promise<number> {
  const { data } = context.terminal;
  const { explain = '', note = '', json } = order.values;
  const exception = await reconciliation.explain(explain, { by: order.by, note });
  if (json) data(JSON.stringify(exception));
  else sayException(exception, data);
  return EXIT.fine;
}

/** In UTC: exceptions may be of days with several zones. */
function sayException(exception: CloseException, data: (line: string) => void): void {
  for (const line of ['', ...exceptionLines(exception, (moment) => moment.toISOString())]) data(line);
}
