// The control API as the page uses it.
const API = '_sandbox/v1';

export const EVENTS = `${API}/events`;

export async function read(path) {
  return answerOf(await fetch(`${API}/${path}`));
}

/** Says something to the emulator; throws what it says against it. */
export async function write(path, body = {}, method = 'POST') {
  const headers = { 'content-type': 'application/json' };
  return answerOf(await fetch(`${API}/${path}`, { method, headers, body: JSON.stringify(body) }));
}

export async function remove(path) {
  return answerOf(await fetch(`${API}/${path}`, { method: 'DELETE' }));
}

/** A part of an address; half of a surrogate pair, which no address can hold, is replaced. */
export const encoded = (words) => encodeURIComponent(words.toWellFormed());

/** What the customer, or the provider of a payout, decides. */
export function decide(collection, { merchant, reference }, action) {
  return write(`${collection}/${encoded(reference)}/${action}`, { merchant });
}

async function answerOf(response) {
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => undefined);
  throw new Error(problem?.error?.message ?? `The sandbox answered ${response.status}.`);
}
