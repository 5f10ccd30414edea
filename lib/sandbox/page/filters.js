/* global URLSearchParams, document, history */
// The search bar: what each list shows, and which page of it.
import { byId, make } from './dom.js';
import { PAGE, PAGED, store } from './store.js';
import { currentPlace, currentQuery, placeOf } from './tabs.js';
import { text } from './words.js';

const STATUSES = {
  payments: ['pending', 'processing', 'success', 'failed', 'cancelled', 'expired'],
  payouts: ['pending', 'processing', 'paid', 'failed', 'cancelled'],
  webhooks: ['waiting', 'delivered', 'exhausted', 'skipped'],
  requests: ['200', '400', '401', '403', '404', '409', '422', '429', '500', '502', '503', '504'],
};
const NONE = { q: '', status: '', merchant: '', failed: '', before: undefined, after: undefined };
/** What each list shows, as its URL says it. `before` and `after` hold a page's cursor. */
const filters = Object.fromEntries([...PAGED, 'balance', 'faults', 'banks'].map((name) => [name, NONE]));

/** The query that reads a list as it is filtered. */
export function queryOf(name) {
  const { status, ...rest } = filters[name];
  return queryFrom({ limit: PAGE, ...rest, [name === 'webhooks' ? 'state' : 'status']: status });
}

/** The newest page has no cursor; the oldest one has an empty `after`. */
function queryFrom(values) {
  const { before, after, ...rest } = values;
  const query = new URLSearchParams(Object.entries(rest).filter(([, value]) => value !== ''));
  if (before !== undefined) query.set('before', before);
  if (after !== undefined) query.set('after', after);
  return query;
}

/** The URL of a record of a list, or of the list itself, with what the list shows. */
export function listPlace(name, ...record) {
  const query = String(queryFrom(filters[name] ?? NONE));
  return `${placeOf(name, ...record)}${query === '' ? '' : `?${query}`}`;
}

/** Takes what the URL says of its list. */
export function takeAddress() {
  const { tab } = currentPlace();
  if (!(tab in filters)) return;
  const query = currentQuery();
  const status = query.get('status') ?? '';
  filters[tab] = {
    q: query.get('q') ?? '',
    status: STATUSES[tab]?.includes(status) ? status : '',
    merchant: query.get('merchant') ?? '',
    failed: query.get('failed') === 'true' ? 'true' : '',
    before: query.get('before') ?? undefined,
    after: query.get('after') ?? undefined,
  };
}

function change(name, values, write) {
  filters[name] = { ...filters[name], before: undefined, after: undefined, ...values };
  const { tab, name: reference, merchant } = currentPlace();
  if (tab !== name) return;
  const record = [reference, merchant].filter((part) => part !== undefined);
  history[write](null, '', listPlace(name, ...record));
}

export function firstPage(name) {
  change(name, {}, 'replaceState');
}

/** A step back returns to the page before. */
export function turnPage(name, cursor) {
  change(name, cursor, 'pushState');
}

/** Whether the texts that a row shows hold the searched one. For lists that the page holds whole. */
export function matches(name, texts) {
  return searchable(texts.join(' ')).includes(searchable(filters[name].q));
}

/** Amounts hold spaces that nobody types. */
const searchable = (words) => words.toLowerCase().replaceAll(/\s+/g, ' ');

export function listenToFilters(changed) {
  const form = byId('filters');
  const take = () => {
    const name = currentPlace().tab;
    const [status, merchant] = [form.status.value, form.merchant.value];
    const failed = form.failed.checked ? 'true' : '';
    change(name, { q: form.q.value.trim(), status, merchant, failed }, 'replaceState');
    changed(name);
  };
  form.addEventListener('input', take);
  form.addEventListener('submit', (event) => event.preventDefault());
}

/** An empty list needs no search. But a field does not vanish under the typing of its user. */
function isInUse(form, name) {
  const { q, status, merchant, failed } = filters[name];
  return form.contains(document.activeElement) || [q, status, merchant, failed].some((value) => value !== '');
}

/** Shows the fields that the list has, with what they hold for it. */
export function showFilters(name) {
  const form = byId('filters');
  form.hidden = !(name in filters) || (store[name]?.total === 0 && !isInUse(form, name));
  if (form.hidden) return;
  const paged = PAGED.includes(name);
  const known = filters[name];
  const merchants = store.balance.items.map(({ merchant }) => merchant);
  if (known.merchant !== '' && !merchants.includes(known.merchant)) merchants.push(known.merchant);
  options(form.status, text('allStatuses'), STATUSES[name] ?? [], statusWords, known.status);
  options(form.merchant, text('allMerchants'), merchants, (merchant) => merchant, known.merchant);
  form.status.parentElement.hidden = !paged;
  form.merchant.parentElement.hidden = !paged || (merchants.length < 2 && known.merchant === '');
  form.failed.closest('p').hidden = !paged;
  if (form.q.value.trim() !== known.q) form.q.value = known.q;
  form.failed.checked = known.failed !== '';
}

const statusWords = (status) => (/^\d/.test(status) ? status : text(`status.${status}`));

/** Fills a select, unless it has these options already. */
function options(select, all, values, words, chosen) {
  const made = [make('option', { value: '' }, all)];
  made.push(...values.map((value) => make('option', { value }, words(value))));
  const same =
    made.length === select.options.length &&
    made.every((option, index) => option.isEqualNode(select.options[index]));
  if (!same) select.replaceChildren(...made);
  select.value = chosen;
}
