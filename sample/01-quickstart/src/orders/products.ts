export interface Product {
  readonly id: string;
  readonly name: string;
  readonly note: string;
  /** TZS, two decimals. */
  readonly price: string;
}

/** Prices are on the server: the page sends only the product's id. */
export const PRODUCTS: readonly Product[] = [
  { id: 'coffee', name: 'Kilimanjaro peaberry', note: 'Whole beans, 250 g', price: '18000.00' },
  { id: 'tea', name: 'Usambara black tea', note: 'Loose leaves, 100 g', price: '9500.00' },
  { id: 'honey', name: 'Tabora forest honey', note: 'Raw, 500 g', price: '14500.00' },
];
