import { pages } from '../../common/pages.js';
import { type StoredReconciliationEntry } from '../../storage/reconciliation-store.js';
import { type ReconciledAccount } from '../reconciled-accounts.js';
import { type KnownCloses } from '../exceptions/known-closes.js';
import { type ProvenRow } from '../matching/proven-row.js';
import { StatementDays } from '../matching/statement-days.js';
import { readList } from './carried.js';
import { type ClosedDay, closedDayOf } from './close-entry.js';

const PAGE = 100;

/** What of a close stays in memory. */
interface KnownDay {
  readonly token: string;
  readonly statement: ClosedDay['summary']['statement'];
}

/** The closes of an account. Each is read once, so it is made for one call. */
export class ClosedDays implements KnownCloses {
  private readonly known = new Map<string, Promise<KnownDay | undefined>>();

  constructor(private readonly account: Pick<ReconciledAccount, 'store' | 'scope'>) {}

  of(day: string): Promise<KnownDay | undefined> {
    const known = this.known.get(day) ?? this.read(day);
    this.known.set(day, known);
    return known;
  }

  async *proofsOf(day: string): AsyncGenerator<readonly ProvenRow[], void, undefined> {
    const { store, scope } = this.account;
    const close = await this.of(day);
    if (close) yield* readList(store, { scope, day, token: close.token }, 'proposals');
  }

  private async read(day: string): Promise<KnownDay | undefined> {
    const { store, scope } = this.account;
    const stored = await store.get(scope, 'close', day);
    if (!stored) return undefined;
    const { token, summary } = closedDayOf(stored);
    return { token, statement: summary.statement };
  }
}

/** The days of an account that were closed with a statement. */
export async function statementDaysOf({
  store,
  scope,
}: Pick<ReconciledAccount, 'store' | 'scope'>): Promise<StatementDays> {
  const days = new StatementDays();
  const read = (last?: StoredReconciliationEntry): Promise<readonly StoredReconciliationEntry[]> =>
    store.list(scope, 'close', { limit: PAGE, ...(last && { after: last.entry.id }) });
  for await (const page of pages(PAGE, read)) {
    for (const { summary } of page.map(closedDayOf))
      if (summary.statement) days.add({ from: summary.from.getTime(), to: summary.to.getTime() });
  }
  return days;
}
