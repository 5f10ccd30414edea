export interface Product {
  readonly id: string;
  /** TZS, two decimals. */
  readonly price: string;
}

/** Prices are on the server: the page sends only the id, and has the names in both languages. */
export const PRODUCTS: readonly Product[] = [
  { id: 'coffee', price: '18000.00' },
  { id: 'tea', price: '9500.00' },
  { id: 'honey', price: '14500.00' },
];
