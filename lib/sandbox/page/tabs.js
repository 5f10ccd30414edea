/* global document, location */
// The views at the right and their URLs: #/payments, #/payments/order-1, #/payments/order-1/demo
import { encoded } from './control.js';
import { byId } from './dom.js';

const TABS = [...document.querySelectorAll('[role=tab]')].map((tab) => tab.dataset.tab);

/** Reads tab, name and merchant from the URL. */
export function currentPlace() {
  const [, tab, name, merchant] = location.hash.split('/').map(decoded);
  return { tab: TABS.includes(tab) ? tab : 'payments', name, merchant };
}

export const placeOf = (...parts) => `#/${parts.map(encoded).join('/')}`;

export function showTab(chosen) {
  for (const name of TABS) {
    const tab = byId(`tab-${name}`);
    tab.setAttribute('aria-selected', String(name === chosen));
    tab.tabIndex = name === chosen ? 0 : -1;
    byId(`panel-${name}`).hidden = name !== chosen;
  }
}

const STEPS = {
  ArrowRight: (index) => (index + 1) % TABS.length,
  ArrowLeft: (index) => (index + TABS.length - 1) % TABS.length,
  Home: () => 0,
  End: () => TABS.length - 1,
};

export function listenToTabs() {
  for (const [index, name] of TABS.entries()) {
    const tab = byId(`tab-${name}`);
    tab.addEventListener('click', () => (location.hash = placeOf(name)));
    tab.addEventListener('keydown', (event) => {
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      const next = TABS[step(index)];
      location.hash = placeOf(next);
      byId(`tab-${next}`).focus();
    });
  }
}

function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
