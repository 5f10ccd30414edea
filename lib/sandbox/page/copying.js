/* global document, navigator */
import { announce, busily, button, make } from './dom.js';
import { worded } from './fields.js';
import { text } from './words.js';

/** How long a button says that it has copied. */
const SAID_MS = 2_000;

/**
 * A button that copies a text, and says so for a moment.
 *
 * @param key The words on the button.
 * @param what An element that says to a screen reader what is copied.
 * @param whole Returns the text, or a promise of it.
 */
export function copyButton(key, what, whole, problem) {
  const words = worded('span', key);
  const press = async () => {
    await copy(await whole());
    words.textContent = text('copied');
    setTimeout(() => (words.textContent = text(key)), SAID_MS);
  };
  const made = button('', () => busily(made, problem, press), { class: 'quiet copy' });
  what.classList.add('unseen');
  made.append(words, ' ', what);
  return made;
}

/** Puts text into the clipboard. Throws if the browser forbids it. */
export async function copy(words) {
  if (!navigator.clipboard) copyByCommand(words);
  else
    await navigator.clipboard.writeText(words).catch(() => {
      throw new Error(text('notCopied'));
    });
  announce(text('copied'));
}

/** Under an address that is not this machine's and has no TLS, browsers offer the command alone. */
function copyByCommand(words) {
  const area = make('textarea', { class: 'unseen' });
  area.value = words;
  document.body.append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (!done) throw new Error(text('notCopied'));
}
