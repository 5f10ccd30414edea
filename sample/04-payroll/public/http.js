/* global document */

export const byId = (id) => document.getElementById(id);

/** An element. Texts are never read as HTML. */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter(Boolean));
  return made;
}

/** What went wrong, for people. */
class Problem extends Error {
  constructor({ message, errors = {} }, status) {
    const list = Object.values(errors).flat();
    super(list.length > 0 ? 'This cannot be done:' : message);
    Object.assign(this, { status, list });
  }
}

/** Calls the desk, and gives the JSON that it answers. */
export async function call(method, path, body, type = 'application/json') {
  const answer = await fetch(path, {
    method,
    ...(body !== undefined && { headers: { 'content-type': type }, body }),
  }).catch(() => {
    throw new Problem({ message: 'The desk does not answer. Try again.' });
  });
  const json = await answer.json().catch(() => ({}));
  if (answer.ok) return json;
  throw new Problem({ message: `The desk answers ${answer.status}.`, ...json }, answer.status);
}

/** Runs one step of a person. Ignores a second press while it runs, and shows what went wrong. */
export async function step(run, onSignedOut) {
  const { body } = document;
  if (body.ariaBusy === 'true') return;
  body.ariaBusy = 'true';
  byId('problem').replaceChildren();
  try {
    await run();
  } catch (error) {
    if (error.status === 401) onSignedOut();
    const items = (error.list ?? []).map((text) => element('li', { textContent: text }));
    byId('problem').replaceChildren(
      element('p', { textContent: error.message }),
      items.length > 0 && element('ul', {}, ...items),
    );
    byId('problem').scrollIntoView({ block: 'nearest' });
  } finally {
    body.ariaBusy = 'false';
  }
}
