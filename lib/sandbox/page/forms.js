// The forms of the balance and of the clock.
import { write } from './control.js';
import { busily, byId } from './dom.js';
import { advance, clockNow, showDue } from './due.js';
import { faultForm } from './fault-form.js';
import { field, form } from './fields.js';
import { store } from './store.js';
import { moment, text } from './words.js';

/** Builds the forms of the balance, and listens to those of the clock. */
export function listenToForms() {
  const merchant = (id) => field(id, 'column.merchant', { name: 'merchant', value: 'demo', required: '' });
  const amount = (id, key, name, value) =>
    field(id, key, { name, value, inputmode: 'decimal', required: '' });
  byId('list-balance').append(
    form(
      'top-up',
      'topUp',
      [merchant('top-up-merchant'), amount('top-up-amount', 'amountTzs', 'amount', '100000.00')],
      async (fields) => void (await write('balance/top-up', fields)),
    ),
    form(
      'set-balance',
      'setBalance',
      [
        merchant('set-balance-merchant'),
        amount('set-balance-available', 'availableTzs', 'available', '1000000.00'),
      ],
      async (fields) => void (await write('balance', fields, 'PUT')),
    ),
  );
  byId('list-faults').append(faultForm());
  listenToClock();
}

function listenToClock() {
  const moving = byId('advance');
  const problem = moving.querySelector('.problem');
  moving.addEventListener('submit', (event) => {
    event.preventDefault();
    busily(moving, problem, () => advance(byId('advance-by').value.trim()));
  });
  byId('advance-by').addEventListener('input', showClock);
  for (const button of byId('clock-steps').querySelectorAll('button')) {
    button.addEventListener('click', () => busily(button, problem, () => advance(button.dataset.by)));
  }
  byId('freeze').addEventListener('click', ({ currentTarget }) => {
    if (currentTarget.getAttribute('aria-disabled') === 'true') return;
    busily(currentTarget, problem, () => write('clock/freeze', { frozen: !store.clock.frozen }));
  });
}

/** Shows the clock. Between two messages, a running clock follows the browser's. */
export function showClock() {
  const { clock } = store;
  if (!clock) return;
  const now = clockNow();
  byId('clock-now').dateTime = now;
  setText('clock-now', moment(now));
  showDue(now);
  const manual = clock.kind === 'manual';
  const kind = manual ? 'clockManual' : clock.frozen ? 'clockStopped' : 'clockReal';
  setText('clock-state', `${text(kind)} · ${text('due', { count: clock.waiting })}`);
  setText('freeze', text(clock.frozen && !manual ? 'unfreeze' : 'freeze'));
  byId('freeze').setAttribute('aria-disabled', String(manual));
  setText('freeze-reason', text(manual ? 'manualReason' : 'realReason'));
}

function setText(id, words) {
  if (byId(id).textContent !== words) byId(id).textContent = words;
}
