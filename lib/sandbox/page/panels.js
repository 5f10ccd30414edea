// The views that are read when somebody turns to them.
import { showBooks, showFoundBooks } from './books.js';
import { write } from './control.js';
import { byId, make } from './dom.js';
import { showEndpoints } from './endpoints.js';
import { field, filled, form, worded } from './fields.js';
import { showFirstRun } from './first-run.js';
import { store } from './store.js';
import { translate } from './words.js';

let shown;

/** Shows how to start: in its view, and in place of the payments as long as there are none. */
export function showStart() {
  return showFirstRun({ first: byId('first-run'), setup: byId('setup-first-run') });
}

/** Shows the view that somebody has turned to. */
export function showPanel(tab) {
  const { known, total } = store.payments;
  byId('first-run').hidden = !known || total > 0;
  if (tab === 'banks') showFoundBooks();
  if (tab === shown) return;
  shown = tab;
  for (const id of ['panel-banks', 'setup-webhooks', 'setup-reset']) byId(id).replaceChildren();
  if (tab === 'banks') quietly(showBooks(byId('panel-banks')));
  if (tab !== 'setup') return;
  quietly(showEndpoints(byId('setup-webhooks')));
  byId('setup-reset').replaceChildren(
    form(
      'reset',
      'resetTitle',
      [
        make('p', { class: 'detail whole' }, worded('span', 'resetHint')),
        field('reset-merchant', 'anyMerchant', { name: 'merchant' }),
      ],
      clearAtSecondPress,
    ),
  );
}

/** As long as the second click of a double-click may take. */
const ASKS_AFTER_MS = 700;

/**
 * Nothing brings back what was cleared, so the button asks first. It asks again if the merchant has changed, and the second
 * click of a double-click is no answer: the form is busy until the button asks.
 */
async function clearAtSecondPress(fields, made) {
  const button = made.querySelector('[type=submit]');
  const cleared = filled(fields);
  const meant = JSON.stringify(cleared);
  const isSure = button.dataset.text === 'resetSure' && button.dataset.meant === meant;
  if (isSure) {
    await write('reset', cleared);
    made.reset();
  } else await new Promise((resolve) => setTimeout(resolve, ASKS_AFTER_MS));
  button.dataset.text = isSure ? 'resetTitle' : 'resetSure';
  button.dataset.meant = meant;
  translate(made);
}

/** The page says elsewhere that it has lost the emulator. */
function quietly(work) {
  work.catch(() => {
    shown = undefined;
  });
}
