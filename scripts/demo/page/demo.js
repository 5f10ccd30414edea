/* global document, navigator, URLSearchParams */
import { english, swahili } from './words.js';

/** Each customer is a magic number of the emulator, but the first. */
const CUSTOMERS = {
  decides: '0712 345 678',
  poor: '0712 340 004',
  cancels: '0712 340 003',
  lost: '0712 340 504',
  busy: '0712 340 429',
};
const WORDS = { en: english, sw: swahili };

const byId = (id) => document.getElementById(id);
// The shop and the phone choose their language by the same list.
const language = navigator.languages.map((tag) => tag.split('-')[0]).find((tag) => tag in WORDS) ?? 'en';
const words = WORDS[language];

const addresses = await (await fetch('addresses')).json();
document.documentElement.lang = language;
document.title = words.title;
for (const element of document.querySelectorAll('[data-text]')) {
  element.textContent = words[element.dataset.text];
}
for (const element of document.querySelectorAll('[data-title]')) {
  element.title = words[element.dataset.title];
}
for (const element of document.querySelectorAll('[data-label]')) {
  element.ariaLabel = words[element.dataset.label];
}
for (const name of ['shop', 'phone']) {
  byId(name).src = addresses[name];
  byId(`${name}-link`).href = addresses[name];
}
byId('customers').append(...Object.entries(CUSTOMERS).map(([name, phone]) => customer(name, phone)));

/** A link that opens the shop with the customer's number filled in. */
function customer(name, phone) {
  const link = document.createElement('a');
  link.target = 'shop';
  link.href = `${addresses.shop}?${new URLSearchParams({ phone })}`;
  const number = document.createElement('b');
  number.textContent = phone;
  link.append(number, ` ${words[name]}`);
  link.addEventListener('click', () => byId('shop').scrollIntoView({ block: 'nearest' }));
  const item = document.createElement('li');
  item.append(link);
  return item;
}
