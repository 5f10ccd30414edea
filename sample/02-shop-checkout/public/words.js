/* global document, Event, localStorage, navigator */
// The pages' texts in the customer's language.
import { english } from './english.js';
import { swahili } from './swahili.js';

const LANGUAGES = { en: english, sw: swahili };
const NAMES = { en: 'English', sw: 'Kiswahili' };
const REMEMBERED = 'shop-language';

// The browser sends the same list as Accept-Language.
const preferred = navigator.languages.map((tag) => tag.split('-')[0]).find((tag) => tag in LANGUAGES);
let language = remembered() ?? preferred ?? 'en';

/** A text with its `{gaps}` filled. */
export function text(key, gaps = {}) {
  return LANGUAGES[language][key].replaceAll(/\{(\w+)\}/g, (_, name) => gaps[name]);
}

/** Writes the text of every element that names one, and fills the switch. */
export function translate() {
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll('[data-text]')) {
    element.textContent = text(element.dataset.text);
  }
  const change = document.getElementById('language');
  change.lang = otherLanguage();
  change.textContent = NAMES[otherLanguage()];
}

/** Lets the switch in the header change the language. `document` then gets the event `language`. */
export function offerLanguages() {
  translate();
  document.getElementById('language').addEventListener('click', () => {
    language = otherLanguage();
    remember(language);
    translate();
    document.dispatchEvent(new Event('language'));
  });
}

const otherLanguage = () => (language === 'en' ? 'sw' : 'en');

function remember(chosen) {
  try {
    localStorage.setItem(REMEMBERED, chosen);
  } catch {
    // The browser forbids storage: the choice ends with the page.
  }
}

function remembered() {
  try {
    const kept = localStorage.getItem(REMEMBERED);
    return kept !== null && kept in LANGUAGES ? kept : undefined;
  } catch {
    return undefined;
  }
}
