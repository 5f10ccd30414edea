// The page's client of the control API.
import { problemInSwahili } from './problems-swahili.js';
import { currentLanguage, text } from './words.js';

const API = '_sandbox/v1';

export const EVENTS = `${API}/events`;

/** Where the statement of a merchant is. */
export const statementOf = (merchant) => `${API}/statement?merchant=${encoded(merchant)}`;

export async function read(path) {
  return send(path);
}

/** Sends a command to the emulator; throws what it says of a refusal. */
export async function write(path, body = {}, method = 'POST') {
  const headers = { 'content-type': 'application/json' };
  return send(path, { method, headers, body: JSON.stringify(body) });
}

export async function remove(path) {
  return send(path, { method: 'DELETE' });
}

/** Encodes a part of a URL; replaces lone surrogates, which no URL can hold. */
export const encoded = (words) => encodeURIComponent(words.toWellFormed());

/** The path of a payment, payout, webhook or request. A URL drops a part of only dots: then the query names it. */
export function recordPath(list, name, { action, merchant } = {}) {
  const isDots = /^\.{1,2}$/.test(name);
  const path = [list, isDots ? '-' : encoded(name), action].filter((part) => part !== undefined).join('/');
  const query = Object.entries({ reference: isDots ? name : undefined, merchant })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encoded(value)}`);
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

/** Sends the decision of a customer or a payout's provider; a refusal may have a `reason`. */
export function decide(collection, { merchant, reference }, action, fields = {}) {
  return write(recordPath(collection, reference, { action }), { merchant, ...fields });
}

async function send(path, init) {
  const response = await fetch(`${API}/${path}`, init).catch(() => {
    // The browser's own words are English, and say nothing of the emulator.
    throw new Error(text('unreachable'));
  });
  if (response.ok) return response.json();
  const { status } = response;
  const problem = await response.json().catch(() => undefined);
  throw Object.assign(refusal(status, problem?.error), { status, code: problem?.error?.code });
}

/** An error in the reader's language; `lang` says if only English words are known. */
function refusal(status, problem) {
  if (problem === undefined) return new Error(text('answered', { status }));
  const { code, message } = problem;
  const words = currentLanguage() === 'sw' ? problemInSwahili(code, message) : undefined;
  return words === undefined ? Object.assign(new Error(message), { lang: 'en' }) : new Error(words);
}
