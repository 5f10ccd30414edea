/* global FormData */
// Builds forms whose texts follow the language.
import { busily, make } from './dom.js';
import { text, translate } from './words.js';

/** An element with a translated text. */
export const worded = (tag, key, attributes = {}) =>
  make(tag, { 'data-text': key, ...attributes }, text(key));

/** The line under a form or a button where its error appears. */
export const problemLine = () => make('p', { class: 'problem', role: 'alert' });

/** A labelled input. */
export function field(id, key, attributes = {}) {
  const input = make('input', { id, autocomplete: 'off', spellcheck: 'false', ...attributes });
  return make('p', {}, worded('label', key, { for: id }), input);
}

/** A labelled list of choices. Options are `[value, words]`, or `[value, words, key]` to follow the language. */
export function choice(id, key, name, options) {
  const made = options.map(([value, words, option]) =>
    make('option', { value, 'data-text': option }, option ? text(option) : words),
  );
  return make('p', {}, worded('label', key, { for: id }), make('select', { id, name }, ...made));
}

/**
 * A form that sends its fields. Under its button it shows the error, or the elements that `send` resolves to: what
 * was done, and what came of it.
 */
export function form(id, key, lines, send) {
  const problem = problemLine();
  const outcome = make('div', { class: 'outcome whole', role: 'status' });
  const made = make(
    'form',
    { class: 'form', id },
    worded('h3', key),
    ...lines,
    make('p', {}, worded('button', key, { type: 'submit', class: 'strong' })),
    problem,
    outcome,
  );
  made.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && event.repeat) event.preventDefault();
  });
  made.addEventListener('submit', (event) => {
    event.preventDefault();
    busily(made, problem, async () => {
      outcome.replaceChildren();
      outcome.replaceChildren(...((await send(Object.fromEntries(new FormData(made)), made)) ?? []));
    });
  });
  translate(made);
  return made;
}

/** The fields that are not empty. */
export const filled = (fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value.trim() !== ''));
