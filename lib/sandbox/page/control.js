// The control API as the page uses it.
const API = '_sandbox/v1';

export const EVENTS = `${API}/events`;

export async function read(path) {
  const answer = await fetch(`${API}/${path}`);
  if (!answer.ok) throw new Error(`The sandbox answered ${answer.status}.`);
  return answer.json();
}

/** What the customer, or the provider of a payout, decides. */
export async function decide(collection, { merchant, reference }, action) {
  const answer = await fetch(`${API}/${collection}/${encodeURIComponent(reference)}/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ merchant }),
  });
  if (answer.ok) return;
  const problem = await answer.json().catch(() => undefined);
  throw new Error(problem?.error?.message ?? `The sandbox answered ${answer.status}.`);
}
