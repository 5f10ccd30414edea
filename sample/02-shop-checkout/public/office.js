import { byId, element, money, once, read, send } from './http.js';

await refresh();

async function refresh() {
  await once(byId('contradictions'), byId('problem'), async () => {
    const { contradictions, open, paidTwice } = await read('office');
    fill('contradictions', contradictions.map(contradictionItem));
    fill(
      'open',
      open.map(({ reference, amount, state }) => line(reference, `${money(amount)}, ${state}`)),
    );
    fill(
      'twice',
      paidTwice.map((number) => line(number, 'give one payment back')),
    );
  });
}

function fill(id, items) {
  byId(id).replaceChildren(...(items.length > 0 ? items : [element('li', { textContent: 'Nothing.' })]));
}

function line(name, words) {
  return element('li', {}, element('b', { textContent: name }), ` ${words}`);
}

function contradictionItem({ id, kind, event, reference, amount }) {
  const item = line(reference, `${event} with ${money(amount)}: ${kind}`);
  const path = `office/contradictions/${encodeURIComponent(id)}`;
  const button = (words, step) => {
    const made = element('button', { type: 'button', className: 'quiet', textContent: words });
    made.ariaLabel = `${words} ${reference}`;
    made.addEventListener('click', () => void once(item, byId('problem'), step).then(refreshUnlessProblem));
    return made;
  };
  const actions = element('span', { className: 'actions' });
  actions.append(
    button('Accept', () => send(`${path}/accept`, {})),
    button('Dismiss', () => send(`${path}/dismiss`, {})),
  );
  item.append(actions);
  return item;
}

/** A refresh would remove the problem before anybody has read it. */
async function refreshUnlessProblem() {
  if (byId('problem').textContent === '') await refresh();
}
