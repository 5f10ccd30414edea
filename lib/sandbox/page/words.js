/* global document, localStorage, navigator */
// The page's texts in the reader's language.
import { english } from './english.js';
import { swahili } from './swahili.js';

const LANGUAGES = { en: english, sw: swahili };
const REMEMBERED = 'nestjs-payments-sandbox-language';

let language = remembered() ?? (navigator.language.startsWith('sw') ? 'sw' : 'en');

export const currentLanguage = () => language;

/** A text with its `{gaps}` filled. */
export function text(key, gaps = {}) {
  const words = LANGUAGES[language][key] ?? key;
  return words.replaceAll(/\{(\w+)\}/g, (_, name) => String(gaps[name] ?? ''));
}

/** Translates an element and its descendants. */
export function translate(root) {
  for (const element of root.querySelectorAll('[data-text]')) {
    element.textContent = text(element.dataset.text);
  }
  for (const element of root.querySelectorAll('[data-label]')) {
    element.setAttribute('aria-label', text(element.dataset.label));
  }
  for (const element of root.querySelectorAll('[data-hint]')) {
    element.setAttribute('placeholder', text(element.dataset.hint));
  }
}

export function setLanguage(chosen) {
  language = chosen in LANGUAGES ? chosen : 'en';
  document.documentElement.lang = language;
  try {
    localStorage.setItem(REMEMBERED, language);
  } catch {
    // The browser forbids storage: the choice ends with the page.
  }
  translate(document);
}

export const count = (number) => number.toLocaleString(language);

export function money(amount) {
  const [whole, cents] = (typeof amount === 'number' ? amount.toFixed(2) : amount).split('.');
  return `TZS ${whole.replace(/\B(?=(\d{3})+$)/g, ',')}${cents && cents !== '00' ? `.${cents}` : ''}`;
}

export function time(iso) {
  return new Date(iso).toLocaleTimeString(language, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
}

export const dayOf = (iso) => new Date(iso).toDateString();

/** The time, with its date unless both are of one day. */
export function timeOn(iso, now) {
  if (dayOf(iso) === dayOf(now)) return time(iso);
  const sameYear = new Date(iso).getFullYear() === new Date(now).getFullYear();
  const year = sameYear ? {} : { year: 'numeric' };
  const date = new Date(iso).toLocaleDateString(language, { day: 'numeric', month: 'short', ...year });
  return `${date}, ${time(iso)}`;
}

export function moment(iso) {
  return `${new Date(iso).toLocaleDateString(language, { dateStyle: 'medium' })} ${time(iso)}`;
}

export const plain = (token) => token.replaceAll('_', ' ').toLowerCase();

function remembered() {
  try {
    const kept = localStorage.getItem(REMEMBERED);
    return kept !== null && kept in LANGUAGES ? kept : undefined;
  } catch {
    return undefined;
  }
}
