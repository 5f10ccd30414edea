import { formatTzs } from '../../common/money.js';
import { EXIT } from './exit-code.js';
import { type ReconcileDesk } from './reconcile-desk.js';

/** `--balance` */
export async function readBalance({ order, context, reconciliation }: ReconcileDesk): Promise<number> {
  const reading = await reconciliation.readBalance();
  const { balance, available, locked, answeredAt } = reading;
  const { data } = context.terminal;
  if (order.values.json) {
    data(JSON.stringify(reading));
  } else {
    data(`The wallet had ${formatTzs(balance, 'en')} at ${answeredAt.toISOString()}, which is kept:`);
    data(`  ${formatTzs(available, 'en')} are available, and ${formatTzs(locked, 'en')} are locked.`);
  }
  return EXIT.fine;
}
