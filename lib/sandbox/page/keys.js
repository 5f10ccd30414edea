/* global document, history */
// The keys of the whole page: / searches, j and k move through the list, or through the phone's cards.
import { byId } from './dom.js';
import { currentPlace } from './tabs.js';

const STEPS = { j: 1, k: -1 };

/** @param opened Called when the keys have opened the next record. */
export function listenToKeys(opened) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.key === '/' && !byId('filters').hidden) {
      event.preventDefault();
      byId('search').focus();
    } else if (event.key in STEPS) move(STEPS[event.key], opened);
  });
}

const isTyping = (target) => target.matches('input, select, textarea');

function move(step, opened) {
  const card = document.activeElement.closest('.prompt');
  if (card) {
    const next = step > 0 ? card.nextElementSibling : card.previousElementSibling;
    next?.focus();
    return;
  }
  const { tab, name } = currentPlace();
  const links = [...document.querySelectorAll(`#rows-${tab} tr`)].map((row) => row.querySelector('a'));
  const here = links.findIndex((link) => link?.closest('tr').contains(document.activeElement));
  const at = here >= 0 ? here : links.findIndex((link) => link?.ariaCurrent === 'true');
  const next = links[at < 0 ? 0 : at + step];
  if (!next) return;
  next.focus();
  if (name === undefined) return;
  history.replaceState(null, '', next.getAttribute('href'));
  opened();
}
