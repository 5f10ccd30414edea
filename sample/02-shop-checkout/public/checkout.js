/* global addEventListener, location, FormData */
import { byId, element, money, once, read, send } from './http.js';

const form = byId('checkout');
let catalogue = { products: [] };

await once(form, byId('problem'), async () => {
  catalogue = await read('catalogue');
  byId('products').append(...catalogue.products.map(productCard));
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

function productCard({ id, name, note, price }, index) {
  const choice = element('input', { type: 'radio', name: 'product', value: id, defaultChecked: index === 0 });
  const picture = element('img', { src: `products/${id}.svg`, alt: '', width: 160, height: 100 });
  const [details, cost] = [
    element('small', { textContent: note }),
    element('b', { textContent: money(price) }),
  ];
  const what = element('span', { className: 'what' }, name, details, cost);
  return element(
    'label',
    { className: 'product' },
    picture,
    element('span', { className: 'line' }, choice, what),
  );
}

function showPrice() {
  const chosen = new FormData(form).get('product');
  const product = catalogue.products.find(({ id }) => id === chosen);
  byId('pay').textContent = product ? `Pay ${money(product.price)}` : 'Pay';
}

/** Sends the product, never the amount: the shop knows its prices. */
async function placeOrder() {
  const { checkout } = catalogue;
  const { number } = await send('orders', { checkout, ...Object.fromEntries(new FormData(form)) });
  location.assign(`order.html?number=${encodeURIComponent(number)}`);
}
