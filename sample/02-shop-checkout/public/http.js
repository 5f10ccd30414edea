/* global document */
import { text } from './words.js';

export const byId = (id) => document.getElementById(id);

/** An element with text content. */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** An element whose text follows the language. */
export function worded(name, key, properties = {}) {
  const made = element(name, { ...properties, textContent: text(key) });
  made.dataset.text = key;
  return made;
}

/** Paths are those of the shop's API. */
export const read = (path) => call(`/api/${path}`, {});

export const send = (path, body) =>
  call(`/api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** What went wrong, as keys of texts. */
class Problem extends Error {
  constructor(keys) {
    super(keys.join(', '));
    this.keys = keys;
  }
}

async function call(path, options) {
  const answer = await fetch(path, options).catch(() => {
    throw new Problem(['problem.silent']);
  });
  const body = await answer.json().catch(() => undefined);
  if (answer.ok) return body;
  if (answer.status === 401 || answer.status === 403) throw new Problem([refusal(path, body)]);
  if (answer.status === 404) throw new Problem(['problem.missing']);
  throw new Problem(body?.fields?.map((field) => `wrong.${field}`) ?? ['problem.other']);
}

/** Only the office asks for a password. Customers learn nothing of it. */
function refusal(path, body) {
  if (!/^\/api\/office(?:\/|$)/.test(path)) return 'problem.other';
  return body?.code === 'FOREIGN_PAGE' ? 'problem.foreign' : 'problem.closed';
}

/** Runs one step of a form. Ignores a second press while it runs, and shows a problem beside it. */
export async function once(place, problem, step) {
  if (place.ariaBusy === 'true') return;
  place.ariaBusy = 'true';
  problem.replaceChildren();
  await step().catch(({ keys = ['problem.other'] }) =>
    problem.replaceChildren(...keys.map((key) => worded('span', key))),
  );
  place.ariaBusy = 'false';
}
