/** What the page sends for an order. */
export const BUYER = {
  checkout: '5e5b4f0e-9d5c-4c55-8f3a-0d6f7f4f3a10',
  cakes: 2,
  phone: '255712345678',
  name: 'Asha Mrema',
  email: 'asha@example.com',
};
