/* global EventSource, window */
import { element } from './http.js';
import { ACTIONS, count, money, speed, WORDS } from './words.js';

const MOVES = ['checking', 'running'];
const MAY_END = ['loaded', 'checking', 'checked', 'approved', 'running', 'paused'];
const STEPS = {
  approved: ['start', 'Start to pay'],
  running: ['pause', 'Pause'],
  paused: ['resume', 'Resume'],
};

/**
 * The open batch.
 *
 * @param act Sends what a person decides: the route, and its body.
 * @returns Its elements, and `follow`, which moves the bar until the batch stands still, and returns how to stop that.
 */
export function batchView(view, person, act) {
  const progress = element('div');
  drawProgress(progress, view);
  return {
    section: [
      element('h2', { textContent: view.name }),
      progress,
      steps(view, act),
      problemLines(view, act),
      view.state === 'checked' && approval(view, person, act),
      unknownLines(view, act),
      lineTable('Not paid', view, ['refused', 'failed'], ({ state, detail }) => `${WORDS[state]}: ${detail}`),
      reports(view),
      trail(view),
    ].filter(Boolean),
    follow: (path, ended) => follow(progress, view, path, ended),
  };
}

function drawProgress(place, progress) {
  const { state, total, byState, pauseReason = '' } = progress;
  const states = Object.keys(WORDS).filter((name) => byState[name]);
  const bar = states.map((name) => {
    const part = element('span', { className: `part ${name}` });
    part.style.flexGrow = byState[name].lines;
    return part;
  });
  const legend = states.map((name) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, element('span', { className: `part ${name}` }), WORDS[name]),
      element('td', { textContent: count(byState[name].lines) }),
      element('td', { textContent: money(byState[name].amount) }),
    ),
  );
  const aside = speed(progress) || pauseReason;
  place.replaceChildren(
    element(
      'p',
      { className: 'lead' },
      element('b', { className: 'state', textContent: WORDS[state] }),
      ` ${count(total.lines)}, ${money(total.amount)}`,
    ),
    element('div', { className: 'bar', ariaHidden: 'true' }, ...bar),
    element('p', { className: 'speed', textContent: aside }),
    element('table', { className: 'sums' }, element('tbody', {}, ...legend)),
  );
}

/** A batch that stands still has nothing to follow. */
function follow(place, { state }, path, ended) {
  if (!MOVES.includes(state)) return () => undefined;
  const source = new EventSource(path);
  source.addEventListener('progress', ({ data }) => {
    const progress = JSON.parse(data);
    drawProgress(place, progress);
    if (MOVES.includes(progress.state)) return;
    source.close();
    ended();
  });
  source.addEventListener('error', () => {
    place.querySelector('.speed').textContent = 'Connecting again …';
    // Closed for good: the person has to sign in again.
    if (source.readyState === EventSource.CLOSED) ended();
  });
  return () => source.close();
}

function steps({ name, state }, act) {
  const [step, words] = STEPS[state] ?? [];
  const cancel = () => sure(`Cancel ${name} forever?`) && act('steps', { step: 'cancel' });
  const buttons = [
    state === 'loaded' && button('Check', () => act('check')),
    state === 'checked' && button('Check again', () => act('check'), 'quiet'),
    step && button(words, () => act('steps', { step })),
    MAY_END.includes(state) && button('Cancel forever', cancel, 'quiet'),
  ].filter(Boolean);
  return buttons.length > 0 && element('p', { className: 'actions' }, ...buttons);
}

function approval({ digest, byState, trail: entries }, person, act) {
  const isCreator = entries.some(({ action, by }) => action === 'create' && by === person);
  const blocked = !isCreator && byState.blocked;
  const without = blocked && element('input', { type: 'checkbox', name: 'without', required: true });
  const form = element(
    'form',
    { className: 'card' },
    element('h3', { textContent: 'Approve' }),
    element('p', { textContent: 'These lines, and no others, have the digest' }),
    element('code', { className: 'digest', textContent: digest }),
    without && element('label', { className: 'choice' }, without, `Leave ${count(blocked.lines)} unpaid`),
    isCreator
      ? element('p', { textContent: 'You have loaded this batch: another person approves it.' })
      : element('button', { textContent: 'Approve these lines' }),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void act('approve', { digest, ...(without && { withoutBlocked: true }) });
  });
  return form;
}

function problemLines(view, act) {
  const why = ({ holder, detail }) => (holder ? `${detail}: it is held by ${holder}` : detail);
  if (view.state !== 'checked') return lineTable('Blocked lines', view, ['blocked'], why);
  const choose = ({ key, holder }) =>
    holder ? element('input', { type: 'checkbox', name: 'key', value: key, ariaLabel: `Accept ${key}` }) : '';
  const table = lineTable('Blocked lines', view, ['blocked'], why, { choose });
  if (!table) return false;
  const because = element('input', { name: 'because', required: true });
  const form = element(
    'form',
    {},
    table,
    element(
      'p',
      { className: 'actions' },
      element('label', { className: 'grows' }, 'They may be paid, because ', because),
      element('button', { textContent: 'Accept the chosen lines' }),
    ),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const keys = [...form.querySelectorAll('[name=key]:checked')].map(({ value }) => value);
    void act('accept', { keys, because: because.value });
  });
  return form;
}

function unknownLines(view, act) {
  const settle = (key, outcome) =>
    sure(`Does the gateway's support say that ${key} ${outcome === 'paid' ? 'was paid' : 'failed'}?`) &&
    act(`lines/${encodeURIComponent(key)}/settle`, { outcome });
  const buttons = ({ key }) =>
    element(
      'span',
      { className: 'actions' },
      button('Paid', () => settle(key, 'paid'), 'quiet', `${key} was paid`),
      button('Failed', () => settle(key, 'failed'), 'quiet', `${key} failed`),
    );
  const table = lineTable('Unknown lines', view, ['unknown'], ({ detail }) => detail, { last: buttons });
  if (!table) return false;
  const words = 'Their money may have moved: never pay them another way. Ask again, or ask the support.';
  return element(
    'div',
    {},
    table,
    element('p', { textContent: words }),
    button('Ask the gateway again', () => act('ask-again')),
  );
}

/** @param choose What stands before each line, and `last` behind it. */
function lineTable(title, { lines, byState }, states, why, { choose = () => '', last } = {}) {
  const shown = lines.filter(({ state }) => states.includes(state));
  if (shown.length === 0) return false;
  const all = states.reduce((sum, state) => sum + (byState[state]?.lines ?? 0), 0);
  const row = (line) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, choose(line), line.key),
      element('td', { textContent: line.name }),
      element('td', { textContent: line.to }),
      element('td', { className: 'amount', textContent: money(line.amount) }),
      element('td', { textContent: why(line) }),
      last && element('td', {}, last(line)),
    );
  const more = all > shown.length && `: the first ${shown.length} of ${all}`;
  return element(
    'div',
    { className: 'wide', tabIndex: 0, role: 'group', ariaLabel: title },
    element('table', {}, element('caption', {}, title, more), element('tbody', {}, ...shown.map(row))),
  );
}

function reports({ name }) {
  const path = `batches/${encodeURIComponent(name)}/report`;
  return element(
    'p',
    {},
    element('a', { href: path, download: '', textContent: 'All lines as CSV' }),
    ' · ',
    element('a', { href: `${path}?format=summary`, download: '', textContent: 'Summary without names' }),
  );
}

function trail({ trail: entries }) {
  const item = ({ at, action, by, details: { because, reason, keys, key, outcome } }) => {
    const more = [keys?.join(', '), key, outcome, because, reason].filter(Boolean).join(' · ');
    const when = element('time', { dateTime: at, textContent: new Date(at).toLocaleString() });
    return element('li', {}, when, ` ${by} ${ACTIONS[action] ?? action}`, more && `: ${more}`);
  };
  return element(
    'details',
    { open: true },
    element('summary', { textContent: 'Audit trail' }),
    element('ol', { className: 'trail' }, ...entries.map(item)),
  );
}

function button(words, click, className = '', ariaLabel = words) {
  const made = element('button', { type: 'button', className, ariaLabel, textContent: words });
  made.addEventListener('click', () => void click());
  return made;
}

const sure = (question) => window.confirm(question);
