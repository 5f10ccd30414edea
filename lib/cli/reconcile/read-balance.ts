import { formatTzs } from '../../common/money.js';
import { EXIT } from './exit-code.js';
import { type ReconcileSession } from './reconcile-session.js';

/** `--balance` */
export async function readBalance({ args, context, reconciliation }: ReconcileSession): Promise<number> {
  const reading = await reconciliation.readBalance();
  const { balance, available, locked, answeredAt } = reading;
  const { data } = context.terminal;
  if (args.values.json) {
    data(JSON.stringify(reading));
  } else {
    data(`The wallet had ${formatTzs(balance, 'en')} at ${answeredAt.toISOString()}, which is kept:`);
    data(`  ${formatTzs(available, 'en')} are available, and ${formatTzs(locked, 'en')} are locked.`);
  }
  return EXIT.fine;
}
