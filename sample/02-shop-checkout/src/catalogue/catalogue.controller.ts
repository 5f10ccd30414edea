import { randomUUID } from 'node:crypto';
import { Controller, Get, Header } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { formatTzs } from 'nestjs-payments';
import { Database } from '../database/database.js';

export interface Product {
  /** The page has its name in both languages. */
  readonly id: string;
  /** TZS, two decimals. */
  readonly price: string;
  /** The price for people: `TSh 15,000`. */
  readonly priceText: string;
}

export interface Catalogue {
  /** The emulator's page, if configured. */
  readonly phonePage: string | null;
  /** The page sends it with the order: sending a page twice makes one order. */
  readonly checkout: string;
  readonly products: readonly Product[];
}

@Controller('api/catalogue')
export class CatalogueController {
  constructor(
    private readonly database: Database,
    private readonly config: ConfigService,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  async show(): Promise<Catalogue> {
    const { rows } = await this.database.pool.query<Omit<Product, 'priceText'>>(
      'SELECT id, price FROM products ORDER BY position',
    );
    const phonePage = this.config.get<string>('SANDBOX_PAGE') || null;
    const products = rows.map((product) => ({ ...product, priceText: formatTzs(product.price) }));
    return { checkout: randomUUID(), products, phonePage };
  }
}
