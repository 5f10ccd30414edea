/* global document */
import { problemsOf } from './problems.js';
import { text } from './words.js';

export const byId = (id) => document.getElementById(id);

/** An element whose text follows the language. */
export function worded(name, key, properties = {}) {
  const made = Object.assign(document.createElement(name), { ...properties, textContent: text(key) });
  made.dataset.text = key;
  return made;
}

export const read = (path) => call(path, {});

export const send = (path, body) =>
  call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

/** What went wrong, as keys of texts. */
class Problem extends Error {
  constructor(keys) {
    super(keys.join(', '));
    this.keys = keys;
  }
}

async function call(path, options) {
  const answer = await fetch(path, options).catch(() => {
    throw new Problem(['problem.unsure']);
  });
  const body = await answer.json().catch(() => undefined);
  if (answer.ok) return body;
  throw new Problem(problemsOf(path, answer.status, body ?? {}));
}

/** Runs one step of a form. Ignores a second press while it runs, and shows a problem beside it. */
export async function once(element, problem, step) {
  if (element.ariaBusy === 'true') return;
  element.ariaBusy = 'true';
  problem.replaceChildren();
  await step().catch(({ keys = ['problem.unsure'] }) =>
    problem.replaceChildren(...keys.map((key) => worded('span', key))),
  );
  element.ariaBusy = 'false';
}
