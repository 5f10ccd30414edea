// Banks and account holders.
import { read, write } from './control.js';
import { busily, button, make, showProblem } from './dom.js';
import { field, form, problemLine, worded } from './fields.js';
import { text, translate } from './words.js';

/** Fills a container with both lists and their forms. */
export async function showBooks(container) {
  container.replaceChildren(
    ...book({
      id: 'banks',
      path: 'banks',
      keyOf: ({ code }) => code,
      cells: ({ code, name }) => [code, name],
      columns: ['bankCode', 'bankName'],
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
      cells: ({ account_number: account, account_name: name }) => [account, name ?? text('closed')],
      columns: ['account', 'holder'],
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

/** A list that the emulator replaces as a whole: adding and removing send it again. */
function book({ id, path, keyOf, cells, columns, lines, itemOf }) {
  const problem = problemLine();
  const rows = make('tbody', { id: `rows-${id}` });
  const head = [...columns, 'column.remove'].map((key) => worded('th', key, { scope: 'col' }));
  const table = make(
    'table',
    {},
    worded('caption', `book.${id}`, { class: 'unseen' }),
    make('thead', {}, make('tr', {}, ...head)),
    rows,
  );
  const draw = (items) => {
    rows.replaceChildren(
      ...items.map((item) => {
        const [first, second] = cells(item);
        const made = button(
          '',
          () =>
            busily(made, problem, () => change((all) => all.filter((other) => keyOf(other) !== keyOf(item)))),
          { class: 'quiet' },
        );
        made.append(worded('span', 'remove'), make('span', { class: 'unseen' }, ` ${first}`));
        return make(
          'tr',
          {},
          make('th', { scope: 'row' }, first),
          make('td', {}, second),
          make('td', {}, made),
        );
      }),
    );
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
  return [worded('h3', `book.${id}`), table, problem, form(`add-${id}`, `add.${id}`, lines, add)];
}
