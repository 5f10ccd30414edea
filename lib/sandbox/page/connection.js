/* global SharedWorker, document, window */
// The tab's connection: it follows the emulator's events while somebody sees the tab.
import { EventHub } from './event-hub.js';

const RETRY_MS = 2_000;
/** A hidden tab follows for a moment longer: its title counts the waiting payments. */
const HIDDEN_MS = 60_000;

/**
 * Reads the lists, then takes each event. A tab that was hidden reads the lists again when it is shown.
 *
 * @param readLists Resolves when the lists are read.
 * @param take Takes the name and the record of an event.
 * @param changed Called after each change of the lists or of the state.
 * @returns A function that says `connecting`, `live` or `lost`.
 */
export function connect({ readLists, take, changed }) {
  const state = { joined: false, streaming: false, lost: false, known: false };
  let source;
  let leaving;
  let retry;

  // Events wait until the lists are read, so that a list never overwrites newer data.
  let work = Promise.resolve();
  const enqueue = (step) => {
    work = work.then(step).catch(window.reportError).then(changed);
  };

  async function readKnown() {
    clearTimeout(retry);
    try {
      await readLists();
      state.known = state.joined;
    } catch {
      state.known = false;
      if (state.joined) retry = setTimeout(() => enqueue(readKnown), RETRY_MS);
    }
  }

  function hear({ name, data }) {
    if (!state.joined) return;
    if (name === 'live' || name === 'lost') {
      state.streaming = name === 'live';
      state.lost ||= name === 'lost';
      changed();
    } else if (name === 'reset') {
      state.known &&= state.streaming;
      state.streaming = true;
      enqueue(readKnown);
    } else enqueue(() => take(name, JSON.parse(data)));
  }

  function join() {
    if (state.joined) return;
    state.joined = true;
    source ??= sourceOf(hear);
    source.join();
  }

  function leave() {
    clearTimeout(leaving);
    clearTimeout(retry);
    if (!state.joined) return;
    source.leave();
    Object.assign(state, { joined: false, streaming: false, lost: false, known: false });
    changed();
  }

  function follow() {
    clearTimeout(leaving);
    if (document.visibilityState === 'visible') join();
    else if (state.joined) leaving = setTimeout(leave, source.shared ? HIDDEN_MS : 0);
  }

  document.addEventListener('visibilitychange', follow);
  window.addEventListener('pageshow', follow);
  window.addEventListener('pagehide', leave);
  follow();
  return () => (state.streaming && state.known ? 'live' : state.lost ? 'lost' : 'connecting');
}

/** The stream that all tabs share; one of its own in a browser without shared workers. */
function sourceOf(hear) {
  const own = () => {
    const hub = new EventHub();
    return { join: () => hub.join(hear), leave: () => hub.leave(hear) };
  };
  try {
    const worker = new SharedWorker('shared-events.js', { type: 'module' });
    const shared = {
      shared: true,
      join: () => worker.port.postMessage('join'),
      leave: () => worker.port.postMessage('leave'),
    };
    worker.port.addEventListener('message', ({ data }) => hear(data));
    worker.port.start();
    worker.addEventListener('error', () => Object.assign(shared, own(), { shared: false }).join(), {
      once: true,
    });
    return shared;
  } catch {
    return own();
  }
}
