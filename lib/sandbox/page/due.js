// What the clock brings, before a move and after it.
import { write } from './control.js';
import { byId, make, wrapped } from './dom.js';
import { setClock, store } from './store.js';
import { currentLanguage, text, time } from './words.js';

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const SHOWN = 10;

/** The milliseconds of `90s` or `15m`; undefined for another text. */
export function spanOf(words) {
  const [, amount, unit] = /^\s*(\d+(?:\.\d+)?)(ms|s|m|h|d)\s*$/.exec(words) ?? [];
  return amount === undefined ? undefined : Number(amount) * UNITS[unit];
}

/** `4 min`, `30 s`: how long from one moment to another. No line ends within it. */
export function wait(from, to) {
  const seconds = Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1_000));
  if (seconds < 60) return `${seconds}\u{a0}s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes}\u{a0}min`;
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60];
  return rest === 0 ? `${hours}\u{a0}h` : `${hours}\u{a0}h\u{a0}${rest}\u{a0}min`;
}

function sentence({ what, reference, to }, key, gaps) {
  const subject = reference ?? text(`dueWhat.${what}`);
  const next = what === 'delivery' ? to : to === null ? '' : text(`status.${to}`);
  return text(`${key}.${what}`, { reference: subject, to: next, ...gaps });
}

/** The clock's time. Between two messages, a running clock follows the browser's. */
export function clockNow() {
  const { now, frozen } = store.clock;
  const passed = frozen ? 0 : Date.now() - store.clockReceivedAt;
  return new Date(Date.parse(now) + passed).toISOString();
}

/** Moves the clock, and says what that brought. */
export async function advance(by) {
  const foreseen = countOf(fallsIn(spanOf(by), clockNow()));
  const { happened, ...clock } = await write('clock/advance', { by });
  setClock(clock);
  const lines = happened.items.map((event) =>
    make(
      'li',
      {},
      make('time', { datetime: event.at }, time(event.at)),
      ' ',
      wrapped(sentence(event, 'happened', {})),
    ),
  );
  byId('happened').replaceChildren(
    make(
      'p',
      { class: 'detail' },
      text(happened.count === 0 ? 'happenedNothing' : 'happenedCount', { count: happened.count }),
    ),
    ...(happened.count === foreseen
      ? []
      : [make('p', { class: 'detail' }, text('happenedOther', { count: foreseen }))]),
    make('ol', { class: 'dues' }, ...lines.slice(0, SHOWN)),
  );
}

let shown = '';

/** The known events that a move by a span brings. What is due already happens without it. */
function fallsIn(span, now) {
  if (span === undefined) return [];
  const [from, frozen] = [Date.parse(now), store.clock.frozen];
  return store.clock.due.filter(
    ({ at }) => (frozen || Date.parse(at) > from) && Date.parse(at) <= from + span,
  );
}

/** The clock sends its first events only, and how many wait. */
function countOf(falls) {
  const { due, waiting } = store.clock;
  return falls.includes(due.at(-1)) ? falls.length + waiting - due.length : falls.length;
}

/** Shows what is due, and what of it the next move would bring. */
export function showDue(now) {
  const { due, waiting } = store.clock;
  const falls = fallsIn(spanOf(byId('advance-by').value), now);
  const waits = due.slice(0, SHOWN).map((event) => wait(now, event.at));
  const state = JSON.stringify([currentLanguage(), due, waits, waiting, falls.length]);
  if (state === shown) return;
  shown = state;
  byId('due').replaceChildren(
    ...due
      .slice(0, SHOWN)
      .map((event, index) =>
        make(
          'li',
          falls.includes(event) ? { class: 'falls' } : {},
          wrapped(sentence(event, 'due', { wait: waits[index] })),
        ),
      ),
    ...(waiting > SHOWN ? [make('li', {}, text('dueMore', { count: waiting - SHOWN }))] : []),
  );
  byId('preview').textContent = text('preview', { count: countOf(falls) });
}
