/* global URLSearchParams, location */
// The views at the right and their URLs: #/payments, #/payments/order-1, #/payments/order-1/demo. What a list shows
// follows behind a question mark: #/payments?status=failed
import { encoded } from './control.js';
import { byId } from './dom.js';
import { TABS } from './views.js';

/** Reads tab, name and merchant from the URL. */
export function currentPlace() {
  const [, tab, name, merchant] = location.hash.split('?')[0].split('/').map(decoded);
  return { tab: TABS.includes(tab) ? tab : 'payments', name, merchant };
}

/** What the URL says of the list's filters and page. */
export const currentQuery = () => new URLSearchParams(location.hash.split('?').slice(1).join('?'));

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

/** @param listPlace The URL of a view as it was left. */
export function listenToTabs(listPlace) {
  // The address holds the view, so the link moves the focus by itself.
  byId('skip').addEventListener('click', (event) => {
    event.preventDefault();
    byId(`tab-${currentPlace().tab}`).focus();
  });
  for (const [index, name] of TABS.entries()) {
    const tab = byId(`tab-${name}`);
    tab.addEventListener('click', () => (location.hash = listPlace(name)));
    tab.addEventListener('keydown', (event) => {
      const step = STEPS[event.key];
      if (!step) return;
      event.preventDefault();
      const next = TABS[step(index)];
      location.hash = listPlace(next);
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
