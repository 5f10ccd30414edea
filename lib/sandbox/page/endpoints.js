// Where webhooks go: addresses, events, secrets, and a test event.
import { encoded, read, remove, write } from './control.js';
import { busily, button, make, showList, statusOf, wrapped } from './dom.js';
import { choice, field, filled, form, problemLine, worded } from './fields.js';
import { webhookStatus } from './lists.js';
import { problemText } from './story.js';
import { placeOf } from './tabs.js';
import { text, translate } from './words.js';

const EVENTS = ['payment.success', 'payment.failed', 'payment.cancelled', 'payment.expired'];

/** Fills a container with the forms and the endpoints. */
export async function showEndpoints(container) {
  const list = make('ul', { class: 'endpoints' });
  const again = async () => {
    const { items } = await read('webhooks/endpoints');
    showList(
      list,
      items,
      ({ id }) => id,
      (endpoint) => drawEndpoint(endpoint, again),
    );
  };
  const setting = async ({ url }) => {
    const { items } = await read('webhooks/endpoints');
    const known = items.some(({ id }) => id === 'default');
    await (known
      ? write('webhooks/endpoints/default', { url }, 'PATCH')
      : write('webhooks/address', { url }, 'PUT'));
    await again();
  };
  const address = {
    name: 'url',
    type: 'url',
    required: '',
  };
  container.replaceChildren(
    worded('h3', 'webhookAddresses'),
    list,
    form('set-address', 'setAddress', [field('address-url', 'address', address)], setting),
    form(
      'add-endpoint',
      'addEndpoint',
      [
        field('endpoint-url', 'address', address),
        field('endpoint-merchant', 'anyMerchant', { name: 'merchant' }),
        field('endpoint-secret', 'ownSecret', { name: 'secret' }),
      ],
      async (fields, made) => {
        const { secrets } = await write('webhooks/endpoints', filled(fields));
        made.reset();
        await again();
        list.lastElementChild?.append(newSecret(secrets));
      },
    ),
    form(
      'test-event',
      'testEvent',
      [
        choice(
          'event-name',
          'column.event',
          'event',
          EVENTS.map((name) => [name, name]),
        ),
        field('event-reference', 'newReference', { name: 'reference' }),
        field('event-merchant', 'column.merchant', { name: 'merchant', value: 'demo' }),
      ],
      async ({ event, reference, merchant }) => {
        const { items } = await write('webhooks/trigger', {
          ...filled({ event, merchant }),
          ...(reference.trim() !== '' && { data: { reference } }),
        });
        return items.flatMap(sentEvent);
      },
    ),
  );
  translate(container);
  await again();
}

/** What was sent, and how it was answered. */
function sentEvent(delivery) {
  const { id, event, reference, url, attempts } = delivery;
  const problem = attempts.at(-1)?.problem ?? null;
  const answer =
    problem === null
      ? webhookStatus({ ...delivery, problem })
      : [statusOf('failed', problemText(attempts.at(-1)))];
  return [
    make('p', {}, wrapped(text('sentEvent', { event, reference, url: url ?? text('noAddress') }))),
    make('p', {}, ...answer),
    make('p', {}, make('a', { href: placeOf('webhooks', id) }, text('openWebhook'))),
  ];
}

function newSecret([{ secret }]) {
  return make('p', { class: 'detail' }, worded('span', 'newSecret'), ' ', make('code', {}, secret));
}

function drawEndpoint(endpoint, again) {
  const { id, url, merchant, events, enabled, secrets } = endpoint;
  const problem = problemLine();
  const choices = make('p', { class: 'choice' });
  const path = `webhooks/endpoints/${encoded(id)}`;
  const change = (fields) => busily(choices, problem, () => write(path, fields, 'PATCH').then(again));
  const act = (key, work) => {
    const made = button('', () => busily(choices, problem, work), { class: 'quiet' });
    made.append(worded('span', key), make('span', { class: 'unseen' }, ` ${id}`));
    return made;
  };
  const item = make('li', { 'data-endpoint': id });
  choices.append(
    act(enabled ? 'disable' : 'enable', () => write(path, { enabled: !enabled }, 'PATCH').then(again)),
    act('rotate', async () => {
      const rotated = await write(`${path}/rotate`);
      item.querySelector('.secrets').textContent = secretsText(rotated.secrets.slice(1));
      item.querySelector('.secrets').before(newSecret(rotated.secrets));
    }),
    act('remove', () => remove(path).then(again)),
  );
  item.append(
    make('b', {}, id),
    ' ',
    make('code', {}, wrapped(url)),
    make(
      'p',
      { class: 'detail' },
      `${merchant ?? text('everyMerchant')} · ${text(enabled ? 'enabled' : 'disabled')}`,
    ),
    make('p', { class: 'detail secrets' }, secretsText(secrets)),
    eventBoxes(id, events, change),
    choices,
    problem,
  );
  return item;
}

const secretsText = (secrets) => secrets.map(({ secret }) => secret).join(', ');

/** A box for each event. All of them checked means all events, those of later versions too. */
function eventBoxes(id, events, change) {
  const boxes = EVENTS.map((name) => {
    const box = make('input', { type: 'checkbox', id: `${id}-${name}`, value: name });
    box.checked = events === null || events.includes(name);
    return box;
  });
  const group = make('fieldset', { class: 'events' }, worded('legend', 'events'));
  for (const box of boxes) {
    box.addEventListener('change', () => {
      const wanted = boxes.filter(({ checked }) => checked).map(({ value }) => value);
      change({ events: wanted.length === EVENTS.length ? null : wanted });
    });
    group.append(make('label', { for: box.id }, box, ` ${box.value}`));
  }
  return group;
}
