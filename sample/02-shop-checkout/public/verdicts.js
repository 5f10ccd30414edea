import { actionOf } from './action.js';
import { text } from './words.js';

const TONES = { failed: 'bad', paid: 'good' };

/** The order's state for its customer. It says that nothing was taken only after an outcome or a refusal that proves it. */
export function verdictOf(order) {
  return {
    tone: TONES[order.state] ?? 'wait',
    headline: text(`state.${order.state}`),
    words: [wordsOf(order), nextOf(order)].join(' ').trim(),
  };
}

function wordsOf({ state, reason, phoneEnding }) {
  return state === 'failed'
    ? text(`reason.${reason}`)
    : text(`state.${state}.words`, { ending: phoneEnding });
}

function nextOf(order) {
  if (order.state === 'waiting') return text('next.waiting');
  return order.state === 'failed' ? text(`next.${actionOf(order)}`) : '';
}
