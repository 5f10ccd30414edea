/* global addEventListener, document, location, FormData, URLSearchParams */
import { byId, element, once, read, send, worded } from './http.js';
import { lastOrder } from './last-order.js';
import { offerLanguages, text } from './words.js';

const form = byId('checkout');
/** Beside the emulator nobody has to type. */
const TRYING = { name: 'Asha Mrema', phone: '0712 345 678', email: 'asha@example.com' };
let catalogue = { products: [] };

offerLanguages();
document.addEventListener('language', showPrice);
showLastOrder(lastOrder());

await once(form, byId('problem'), async () => {
  catalogue = await read('catalogue');
  byId('products').append(...catalogue.products.map(productCard));
  if (catalogue.phonePage) fill({ ...TRYING, ...Object.fromEntries(new URLSearchParams(location.search)) });
  showPrice();
});
form.addEventListener('change', showPrice);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void once(form, byId('problem'), placeOrder);
});
// Coming back to this page starts another order.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});

function productCard({ id, priceText }, index) {
  const choice = element('input', { type: 'radio', name: 'product', value: id, defaultChecked: index === 0 });
  const picture = element('img', { src: `products/${id}.svg`, alt: '', width: 160, height: 100 });
  const what = element(
    'span',
    { className: 'what' },
    worded('span', `product.${id}`),
    worded('small', `product.${id}.note`),
    element('b', { textContent: priceText }),
  );
  return element(
    'label',
    { className: 'product' },
    picture,
    element('span', { className: 'line' }, choice, what),
  );
}

/** Leaves what somebody has typed already. */
function fill(values) {
  for (const name of Object.keys(TRYING)) form.elements[name].value ||= values[name];
}

function showPrice() {
  const chosen = new FormData(form).get('product');
  const product = catalogue.products.find(({ id }) => id === chosen);
  byId('pay').textContent = text('pay', { amount: product?.priceText ?? '' });
}

function showLastOrder(number) {
  if (number === null) return;
  byId('last-order').firstElementChild.href = `/orders/${encodeURIComponent(number)}`;
  byId('last-order').hidden = false;
}

/** Sends the product, never the amount: the shop knows its prices. */
async function placeOrder() {
  const { checkout } = catalogue;
  const { number } = await send('orders', { checkout, ...Object.fromEntries(new FormData(form)) });
  location.assign(`/orders/${encodeURIComponent(number)}`);
}
