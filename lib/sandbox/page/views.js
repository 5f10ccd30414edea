// Builds the tabs, and the list of each view that has one.
import { byId, make } from './dom.js';
import { worded } from './fields.js';

/** The views, in the order of their tabs. */
export const TABS = [
  'payments',
  'payouts',
  'webhooks',
  'requests',
  'balance',
  'clock',
  'faults',
  'banks',
  'setup',
];

/** The columns of each list: the words of the head, and the classes that say how wide a screen shows it. */
const COLUMNS = {
  payments: [
    ['column.reference'],
    ['column.amount', 'wide number'],
    ['column.status', 'roomy'],
    ['column.webhook', 'wider'],
    ['column.time', 'wide'],
  ],
  payouts: [
    ['column.reference'],
    ['column.amount', 'wide number'],
    ['column.status', 'roomy'],
    ['column.to', 'wider'],
    ['column.time', 'wide'],
  ],
  webhooks: [
    ['column.event'],
    ['column.state', 'roomy'],
    ['column.tries', 'wider number'],
    ['column.time', 'wide'],
  ],
  requests: [['column.call'], ['column.answer'], ['column.rule', 'wider'], ['column.time', 'wide']],
  balance: [['column.merchant'], ['column.available', 'number roomy'], ['column.locked', 'wide number']],
  faults: [['column.operation'], ['column.what', 'wide'], ['column.left', 'wider'], ['column.remove']],
};

/** Fills the page before anything looks for its parts. */
export function buildViews() {
  byId('tabs').append(...TABS.map(buildTab));
  for (const name of TABS) {
    const panel =
      byId(`panel-${name}`) ?? byId('views').appendChild(make('section', { id: `panel-${name}` }));
    panel.className = 'panel';
    for (const [attribute, value] of Object.entries({
      role: 'tabpanel',
      'aria-labelledby': `tab-${name}`,
      tabindex: '0',
    })) {
      panel.setAttribute(attribute, value);
    }
    panel.hidden = true;
    if (name in COLUMNS) panel.append(buildList(name));
  }
  byId('empty-payments').after(make('div', { id: 'first-run', hidden: '' }));
}

function buildTab(name) {
  const tab = make('button', {
    type: 'button',
    role: 'tab',
    id: `tab-${name}`,
    'aria-controls': `panel-${name}`,
    'data-tab': name,
  });
  tab.append(worded('span', name), ' ', make('span', { class: 'count', id: `count-${name}` }));
  return tab;
}

function buildList(name) {
  const view = byId('view').content.cloneNode(true);
  const part = (selector) => view.querySelector(selector);
  part('.list').id = `list-${name}`;
  part('.one').id = `one-${name}`;
  part('.empty').id = `empty-${name}`;
  part('.empty').dataset.text = `empty.${name}`;
  part('caption').dataset.text = name;
  part('tbody').id = `rows-${name}`;
  part('thead tr').append(
    ...COLUMNS[name].map(([key, width]) => worded('th', key, { scope: 'col', class: width })),
  );
  return view;
}
