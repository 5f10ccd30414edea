/* global document */
import { byId, element, once, read, send, worded } from './http.js';
import { offerLanguages, text } from './words.js';

offerLanguages();
document.addEventListener('language', () => void refresh());
await refresh();

async function refresh() {
  document.title = `${text('office')} – Soko la Pwani`;
  await once(byId('contradictions'), byId('problem'), async () => {
    const { contradictions, open, paidTwice } = await read('office');
    fill('contradictions', contradictions.map(contradictionItem));
    fill(
      'open',
      open.map(({ reference, amount, state }) => line(reference, `${amount} TZS, ${state}`)),
    );
    fill(
      'twice',
      paidTwice.map((number) => line(number, text('giveBack'))),
    );
  });
}

function fill(id, items) {
  byId(id).replaceChildren(...(items.length > 0 ? items : [worded('li', 'nothing')]));
}

function line(name, words) {
  return element('li', {}, element('b', { textContent: name }), ` ${words}`);
}

function contradictionItem({ id, kind, event, reference, amount }) {
  const item = line(reference, text('contradiction', { event, amount, kind }));
  const path = `office/contradictions/${encodeURIComponent(id)}`;
  const button = (key, step) => {
    const made = worded('button', key, { type: 'button', className: 'quiet' });
    made.ariaLabel = `${text(key)} ${reference}`;
    made.addEventListener('click', () => void once(item, byId('problem'), step).then(refreshUnlessProblem));
    return made;
  };
  const actions = element('span', { className: 'actions' });
  actions.append(
    button('accept', () => send(`${path}/accept`, {})),
    button('dismiss', () => send(`${path}/dismiss`, {})),
  );
  item.append(actions);
  return item;
}

/** A refresh would remove the problem before anyone has read it. */
async function refreshUnlessProblem() {
  if (byId('problem').textContent === '') await refresh();
}
