/* global localStorage */
// The order that this browser saw last: its page is one press away, also after a reload of whatever frames the shop.
const REMEMBERED = 'shop-last-order';

export function rememberOrder(number) {
  try {
    localStorage.setItem(REMEMBERED, number);
  } catch {
    // The browser forbids storage.
  }
}

/** Its number; null if there is none. */
export function lastOrder() {
  try {
    return localStorage.getItem(REMEMBERED);
  } catch {
    return null;
  }
}
