import { ControlProblem } from './control-problem.js';

/** The value of one filter for one entry. */
type Reading<Entry> = (entry: Entry) => string | number | null;

/** What a call lists, and how it filters. */
export interface Listing<Entry, Item> {
  /** The oldest first. */
  readonly entries: readonly Entry[];
  /** Reads the value of each filter. An empty filter finds null. */
  readonly filters: Readonly<Record<string, Reading<Entry>>>;
  /** Reads the filters that take `true` and `false`. */
  readonly flags: Readonly<Record<string, (entry: Entry) => boolean>>;
  /** What `q` searches. */
  readonly texts: (entry: Entry) => readonly (string | null | undefined)[];
  /** Identifies an entry in a cursor. */
  readonly key: (entry: Entry) => string;
  /** Maps only the entries of the answer: a list may hold many more. */
  readonly items: (entries: readonly Entry[]) => readonly Item[];
}

/** One page of a list. */
export interface ListPage<Item> {
  /** The oldest first. */
  readonly items: readonly Item[];
  /** How many entries the list has. */
  readonly total: number;
  /** How many of them fit the filters. */
  readonly found: number;
  /** How many of the found ones are newer than the items. */
  readonly newer: number;
  /** The cursor of the entries before the items; null if there are none. */
  readonly before: string | null;
  /** The cursor of the entries after the items; null if there are none. */
  readonly after: string | null;
}

type Query = ReadonlyMap<string, string>;

/** Parameters that choose a page, not entries. */
const PAGING = ['limit', 'before', 'after'];

/**
 * The entries that fit the filters. With `limit`, the newest of them; with `before` or `after`, those next to
 * an entry. An empty `after` begins with the oldest.
 *
 * @throws ControlProblem if `limit`, a cursor or a flag is invalid.
 */
export function listed<Entry, Item>(listing: Listing<Entry, Item>, query: Query): ListPage<Item> {
  const { entries, key, items } = listing;
  const limit = limitOf(query.get('limit'));
  const fits = filterOf(listing, query);
  const found = entries.filter(fits);
  const [from, to] = range(listing, query, fits, found.length, limit);
  const chosen = found.slice(from, to);
  const [first, last] = [chosen[0], chosen.at(-1)];
  return {
    items: items(chosen),
    total: entries.length,
    found: found.length,
    newer: found.length - to,
    before: first !== undefined && from > 0 ? key(first) : null,
    after: last !== undefined && to < found.length ? key(last) : null,
  };
}

/** The first index of the page among what was found, and the index behind its last. */
function range<Entry>(
  { entries, key }: Pick<Listing<Entry, unknown>, 'entries' | 'key'>,
  query: Query,
  fits: (entry: Entry) => boolean,
  found: number,
  limit: number,
): readonly [number, number] {
  if (query.has('before') && query.has('after')) {
    throw new ControlProblem(400, 'BAD_CURSOR', 'Send `before` or `after`, not both.');
  }
  const cursor = query.get('before') ?? query.get('after');
  if (cursor === undefined) return [Math.max(0, found - limit), found];
  if (query.get('after') === '') return [0, Math.min(limit, found)];
  const index = entries.findIndex((entry) => key(entry) === cursor);
  if (index === -1) {
    const message = '`before` and `after` take a cursor of an earlier answer; a reset ends it.';
    throw new ControlProblem(400, 'BAD_CURSOR', message);
  }
  // The entry itself may no longer fit the filters.
  const older = entries.slice(0, index).filter(fits).length;
  if (query.has('before')) return [Math.max(0, older - limit), older];
  const from = older + Number(fits(entries[index] as Entry));
  return [from, Math.min(from + limit, found)];
}

function filterOf<Entry>(listing: Listing<Entry, unknown>, query: Query): (entry: Entry) => boolean {
  const checks = [...query]
    .filter(([name]) => name !== 'q' && !PAGING.includes(name))
    .map(([name, wanted]) => checkOf(listing, name, wanted));
  const words = query.get('q')?.trim().toLowerCase() ?? '';
  return (entry) =>
    checks.every((fits) => fits(entry)) &&
    (words === '' || listing.texts(entry).some((text) => text?.toLowerCase().includes(words)));
}

/** Whether an entry fits one filter. Throws here, because a list without entries must refuse the filter too. */
function checkOf<Entry>(
  { filters, flags }: Listing<Entry, unknown>,
  name: string,
  wanted: string,
): (entry: Entry) => boolean {
  const flag = flags[name];
  if (flag) {
    const expected = flagOf(name, wanted);
    return (entry) => flag(entry) === expected;
  }
  const reading = filters[name];
  if (!reading) throw new Error(`The list does not implement its filter ${name}.`);
  return (entry) => String(reading(entry) ?? '') === wanted;
}

function flagOf(name: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new ControlProblem(400, 'BAD_FILTER', `\`${name}\` must be true or false.`);
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return Infinity;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new ControlProblem(400, 'BAD_LIMIT', '`limit` must be a whole number from 1 on: write limit=50.');
}
