/* global FormData */
// The forms: money, time, faults.
import { write } from './control.js';
import { busily, byId, make } from './dom.js';
import { OPERATIONS } from './operations.generated.js';
import { store } from './store.js';
import { moment, text } from './words.js';

const KINDS = [
  'status',
  'html',
  'delay',
  'drip',
  'hang',
  'dropBefore',
  'dropAfterProcessing',
  'reset',
  'partialBody',
  'malformedJson',
];

export function listenToForms() {
  onSubmit('top-up', ({ merchant, amount }) => write('balance/top-up', { merchant, amount }));
  onSubmit('advance', ({ by }) => write('clock/advance', { by: by.trim() }));
  onSubmit('fault', (fields) => write('faults', faultOf(fields)));
  const problem = byId('advance').querySelector('.problem');
  for (const button of byId('clock-steps').querySelectorAll('button')) {
    button.addEventListener('click', () =>
      busily(button, problem, () => write('clock/advance', { by: button.dataset.by })),
    );
  }
  byId('freeze').addEventListener('click', ({ currentTarget }) => {
    if (currentTarget.getAttribute('aria-disabled') === 'true') return;
    busily(currentTarget, problem, () => write('clock/freeze', { frozen: !store.clock.frozen }));
  });
  byId('fault-operation').append(...OPERATIONS.map((operation) => make('option', {}, operation)));
  byId('fault-kind').append(
    ...KINDS.map((kind) => make('option', { value: kind, 'data-text': `fault.${kind}` })),
  );
  byId('fault-kind').addEventListener('change', showFields);
  showFields();
}

function onSubmit(id, send) {
  const form = byId(id);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(form));
    busily(form, form.querySelector('.problem'), () => send(fields));
  });
}

/** Shows the fields of the chosen kind. */
function showFields() {
  const kind = byId('fault-kind').value;
  for (const line of byId('fault').querySelectorAll('[data-for]')) {
    line.hidden = !line.dataset.for.split(' ').includes(kind);
  }
}

function faultOf({ operation, kind, status, duration, times, reference }) {
  return {
    operation,
    kind,
    times: Number(times),
    ...(['status', 'html'].includes(kind) && { status: Number(status) }),
    ...(['delay', 'drip'].includes(kind) && { duration: duration.trim() }),
    ...(reference !== '' && { reference }),
  };
}

/** Shows the clock. Between two messages, a running clock follows the browser's. */
export function showClock() {
  const { clock } = store;
  if (!clock) return;
  const passed = clock.frozen ? 0 : Date.now() - store.clockReceivedAt;
  const now = new Date(Date.parse(clock.now) + passed).toISOString();
  byId('clock-now').dateTime = now;
  setText('clock-now', moment(now));
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
