/* global document */
export const byId = (id) => document.getElementById(id);

/** An element with text content. */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** `"18000.00"` → `TZS 18,000`. */
export function money(amount) {
  const [whole, cents] = amount.split('.');
  return `TZS ${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${cents && cents !== '00' ? `.${cents}` : ''}`;
}

export const read = (path) => call(path, {});

export const send = (path, body) =>
  call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

async function call(path, options) {
  const answer = await fetch(path, options).catch(() => {
    throw new Error('The shop did not answer. Press again: nothing is ordered or paid twice.');
  });
  const body = await answer.json().catch(() => undefined);
  if (answer.ok) return body;
  throw new Error([body?.message ?? `The shop answered ${answer.status}.`].flat().join('. '));
}

/** Runs one step of a form. Ignores a second press while it runs, and shows a problem beside it. */
export async function once(place, problem, step) {
  if (place.ariaBusy === 'true') return;
  place.ariaBusy = 'true';
  problem.textContent = '';
  await step().catch(({ message }) => (problem.textContent = message));
  place.ariaBusy = 'false';
}
