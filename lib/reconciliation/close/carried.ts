import { type PaymentFamily, type InboxScope } from '../../common/vocabulary.js';
import { type ReconciliationEntry, type ReconciliationStore } from '../../storage/reconciliation-store.js';
import { type RowMoney } from '../matching/classify-payment.js';
import { type ProvenRow } from '../matching/proven-row.js';

/** A payment that the next close has to look at again. */
export interface CarriedPayment {
  readonly family: PaymentFamily;
  readonly reference: string;
  /** Its row, if a statement has shown it already. */
  readonly proven?: RowMoney | undefined;
  /** The attempt that the row is about; absent: the first one. */
  readonly attempt?: number | undefined;
  /** A statement should have shown it. */
  readonly awaitsRow?: true | undefined;
  /** Nothing is missing, but a statement may show it yet: that row is its first one. */
  readonly isUnseen?: true | undefined;
}

/** What a close keeps in lists, because it may be long. */
interface CloseLists {
  readonly carried: CarriedPayment;
  readonly proposals: ProvenRow;
}

/** A run of a close, whose lists nobody else writes. */
export interface ListPlace {
  readonly scope: InboxScope;
  readonly day: string;
  readonly token: string;
}

/** So many items fit into 64 kB, the least that a text of a database holds, with the longest references. */
const ITEMS = 100;
const PAGE = 20;

/** The entries of a list, in its order. */
export function* listEntries<Kind extends keyof CloseLists>(
  { scope, day, token }: ListPlace,
  kind: Kind,
  items: Iterable<CloseLists[Kind]>,
): Generator<ReconciliationEntry, void, undefined> {
  const entry = (number: number, some: readonly CloseLists[Kind][]): ReconciliationEntry => {
    const id = `${day}.${token}.${String(number).padStart(8, '0')}`;
    return { ...scope, kind, id, state: 'kept', details: JSON.stringify({ items: some }) };
  };
  let [number, some]: [number, CloseLists[Kind][]] = [0, []];
  for (const item of items) {
    some.push(item);
    if (some.length < ITEMS) continue;
    yield entry(number, some);
    [number, some] = [number + 1, []];
  }
  if (some.length > 0) yield entry(number, some);
}

/** Reads a list again, some items at a time. */
export async function* readList<Kind extends keyof CloseLists>(
  store: ReconciliationStore,
  { scope, day, token }: ListPlace,
  kind: Kind,
): AsyncGenerator<readonly CloseLists[Kind][], void, undefined> {
  const prefix = `${day}.${token}.`;
  for (let after = prefix; ;) {
    const page = await store.list(scope, kind, { after, limit: PAGE });
    const own = page.filter(({ entry }) => entry.id.startsWith(prefix));
    for (const { entry } of own) {
      const { items } = JSON.parse(entry.details) as { readonly items: readonly CloseLists[Kind][] };
      yield items;
    }
    const last = own.at(-1);
    if (!last || own.length < PAGE) return;
    after = last.entry.id;
  }
}
