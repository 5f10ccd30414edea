// The page's client of the control API.
const API = '_sandbox/v1';

export const EVENTS = `${API}/events`;

export async function read(path) {
  return answerOf(await fetch(`${API}/${path}`));
}

/** Sends a command to the emulator; throws its error message. */
export async function write(path, body = {}, method = 'POST') {
  const headers = { 'content-type': 'application/json' };
  return answerOf(await fetch(`${API}/${path}`, { method, headers, body: JSON.stringify(body) }));
}

export async function remove(path) {
  return answerOf(await fetch(`${API}/${path}`, { method: 'DELETE' }));
}

/** Encodes a part of a URL; replaces lone surrogates, which no URL can hold. */
export const encoded = (words) => encodeURIComponent(words.toWellFormed());

/** Sends the decision of a customer or a payout's provider. */
export function decide(collection, { merchant, reference }, action) {
  return write(`${collection}/${encoded(reference)}/${action}`, { merchant });
}

async function answerOf(response) {
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => undefined);
  throw new Error(problem?.error?.message ?? `The sandbox answered ${response.status}.`);
}
