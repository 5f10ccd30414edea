import { type ReconciledAccount } from '../reconciled-accounts.js';
import { type KnownCloses } from '../exceptions/known-closes.js';
import { type ProvenRow } from '../matching/proven-row.js';
import { readList } from './carried.js';
import { type ClosedDay, closedDayOf } from './close-entry.js';

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
