/* global document */
// Banks and account holders.
import { read, write } from './control.js';
import { busily, button, make, shortened, showList, showProblem } from './dom.js';
import { field, form, problemLine, worded } from './fields.js';
import { matches } from './filters.js';
import { translate } from './words.js';

/** Fills a container with both lists and their forms. */
export async function showBooks(container) {
  container.replaceChildren(
    ...book({
      id: 'banks',
      path: 'banks',
      keyOf: ({ code }) => code,
      partsOf: ({ code, long_code: long, name }) => [
        name,
        shortened(long === undefined ? code : `${code} · ${long}`),
      ],
      column: 'bankName',
      lines: [
        field('bank-code', 'bankCode', { name: 'code', required: '' }),
        field('bank-name', 'bankName', { name: 'name', required: '' }),
      ],
      itemOf: ({ code, name }, items) => ({ id: Math.max(0, ...items.map(({ id }) => id)) + 1, code, name }),
    }),
    ...book({
      id: 'directory',
      path: 'directory',
      keyOf: ({ account_number: account }) => account,
      partsOf: ({ account_number: account, account_name: name }) => [
        account,
        name === null ? worded('span', 'closed', { class: 'short' }) : shortened(name),
      ],
      column: 'account',
      lines: [
        field('holder-account', 'account', { name: 'account', required: '' }),
        field('holder-name', 'holderOrClosed', { name: 'name' }),
      ],
      itemOf: ({ account, name }) => ({
        account_number: account,
        account_name: name.trim() === '' ? null : name,
      }),
    }),
  );
  translate(container);
}

/** Hides what the search does not find. */
export function showFoundBooks() {
  for (const book of document.querySelectorAll('.book')) {
    const rows = [...book.tBodies[0].rows];
    for (const row of rows) row.hidden = !matches('banks', textsOf(row));
    const found = rows.some((row) => !row.hidden);
    book.hidden = !found;
    book.nextElementSibling.hidden = found || rows.length === 0;
  }
}

const textsOf = (row) => [...row.cells[0].children].map(({ textContent }) => textContent);

/** A list that the emulator replaces as a whole: adding and removing send it again. */
function book({ id, path, keyOf, partsOf, column, lines, itemOf }) {
  const problem = problemLine();
  const rows = make('tbody', { id: `rows-${id}` });
  const head = [column, 'column.remove'].map((key) => worded('th', key, { scope: 'col' }));
  const table = make(
    'table',
    { class: 'book' },
    worded('caption', `book.${id}`, { class: 'unseen' }),
    make('thead', {}, make('tr', {}, ...head)),
    rows,
  );
  const drawRow = (item) => {
    const [first, second] = partsOf(item);
    const key = keyOf(item);
    const press = () =>
      busily(made, problem, () => change((all) => all.filter((other) => keyOf(other) !== key)));
    const made = button('', press, { class: 'quiet' });
    made.append(worded('span', 'remove'), make('span', { class: 'unseen' }, ` ${key}`));
    return make(
      'tr',
      {},
      make('th', { scope: 'row' }, make('span', {}, first), second),
      make('td', {}, made),
    );
  };
  const draw = (items) => {
    showList(rows, items, keyOf, drawRow);
    showFoundBooks();
  };
  const change = async (edit) => {
    const { items } = await read(path);
    draw((await write(path, { items: edit(items) }, 'PUT')).items);
  };
  const add = async (fields, made) => {
    await change((items) => {
      const item = itemOf(fields, items);
      return [...items.filter((other) => keyOf(other) !== keyOf(item)), item];
    });
    made.reset();
  };
  read(path)
    .then(({ items }) => draw(items))
    .catch((error) => showProblem(problem, error));
  const nothing = worded('p', 'nothingFits', { class: 'empty', hidden: '' });
  return [worded('h3', `book.${id}`), table, nothing, problem, form(`add-${id}`, `add.${id}`, lines, add)];
}
