/* global location, window */
import { batchView } from './batch.js';
import { byId, call, element, step } from './http.js';
import { count, money, WORDS } from './words.js';

let person;
/** The open batch as it was answered. */
let shown;
let stopFollowing = () => undefined;

function show(isSignedIn) {
  byId('sign-in').hidden = isSignedIn;
  byId('who').hidden = byId('desk').hidden = !isSignedIn;
  if (!isSignedIn) {
    shown = undefined;
    stopFollowing();
    byId('batches').replaceChildren();
    byId('batch').replaceChildren();
  }
  byId('person').textContent = person ?? '';
}

function signedOut() {
  person = undefined;
  show(false);
}

const openName = () => decodeURIComponent(location.hash.slice(1));
const pathOf = (name) => `batches/${encodeURIComponent(name)}`;

/** Shows the list and the open batch as they are now. */
async function refresh() {
  const rows = await call('GET', 'batches');
  byId('batches').replaceChildren(...(rows.length > 0 ? rows.map(row) : [element('li', {}, 'None yet.')]));
  if (openName()) showBatch(await call('GET', pathOf(openName())));
  else byId('batch').replaceChildren(element('p', {}, 'Open a batch, or load a file.'));
}

function row({ name, state, total }) {
  const link = element(
    'a',
    { href: `#${encodeURIComponent(name)}` },
    element('b', { textContent: name }),
    element('span', { className: 'state', textContent: WORDS[state] }),
    element('small', { textContent: `${count(total.lines)}, ${money(total.amount)}` }),
  );
  if (name === openName()) link.ariaCurrent = 'page';
  return element('li', {}, link);
}

/** Leaves what is unchanged as it is: somebody may be writing there. */
function showBatch(view) {
  const next = JSON.stringify(view);
  if (next === shown) return;
  shown = next;
  stopFollowing();
  const act = (what, body = {}) =>
    step(async () => {
      await call('POST', `${pathOf(view.name)}/${what}`, JSON.stringify(body));
      await refresh();
    }, signedOut);
  const { section, follow } = batchView(view, person, act);
  byId('batch').replaceChildren(...section);
  stopFollowing = follow(`${pathOf(view.name)}/progress`, () => void step(refresh, signedOut));
}

byId('sign-in').addEventListener('submit', (event) => {
  event.preventDefault();
  const form = event.target;
  void step(async () => {
    const fields = Object.fromEntries(new window.FormData(form));
    ({ person } = await call('POST', 'session', JSON.stringify(fields)));
    form.reset();
    show(true);
    await refresh();
  }, signedOut);
});

byId('sign-out').addEventListener('click', () => {
  void step(async () => {
    await call('DELETE', 'session');
    signedOut();
  }, signedOut);
});

byId('load').addEventListener('submit', (event) => {
  event.preventDefault();
  const form = event.target;
  const { batch, file, again } = form.elements;
  void step(async () => {
    const query = `?again=${encodeURIComponent(again.value)}`;
    await call('POST', pathOf(batch.value) + query, file.files[0], 'text/csv');
    location.hash = encodeURIComponent(batch.value);
    form.reset();
    await refresh();
  }, signedOut);
});

window.addEventListener('hashchange', () => void step(refresh, signedOut));
// Another person may have approved it meanwhile.
window.addEventListener('focus', () => person && void step(refresh, signedOut));

await call('GET', 'session').then(
  (session) => ({ person } = session),
  () => undefined,
);
show(person !== undefined);
if (person) await step(refresh, signedOut);
