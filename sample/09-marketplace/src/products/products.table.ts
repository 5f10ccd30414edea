import { Injectable } from '@nestjs/common';
import { Pool } from 'pg';

export interface Product {
  readonly id: string;
  /** TZS, two decimals. An order takes it from here: the page sends only the id. */
  readonly price: string;
}

@Injectable()
export class ProductsTable {
  constructor(private readonly pool: Pool) {}

  async of(merchant: string): Promise<readonly Product[]> {
    const found = await this.pool.query<Product>(
      'SELECT id, price FROM products WHERE merchant = $1 ORDER BY id',
      [merchant],
    );
    return found.rows;
  }

  /** Adds a product, or changes its price. Returns false if there is no such merchant. */
  async put(merchant: string, { id, price }: Product): Promise<boolean> {
    const written = await this.pool.query(
      `INSERT INTO products (merchant, id, price) SELECT id, $2, $3 FROM merchants WHERE id = $1
       ON CONFLICT (merchant, id) DO UPDATE SET price = excluded.price`,
      [merchant, id, price],
    );
    return written.rowCount === 1;
  }
}
