import { randomUUID } from 'node:crypto';
import { Controller, Get, Header } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { Database } from '../database/database.js';

export interface Product {
  readonly id: string;
  readonly name: string;
  readonly note: string;
  /** TZS, two decimals. */
  readonly price: string;
}

export interface Catalogue {
  /** The emulator's page, if configured. */
  readonly phonePage: string | null;
  /** The page sends it with the order: sending a page twice makes one order. */
  readonly checkout: string;
  readonly products: readonly Product[];
}

@Controller('catalogue')
export class CatalogueController {
  constructor(
    private readonly database: Database,
    private readonly config: ConfigService,
  ) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  async show(): Promise<Catalogue> {
    const { rows } = await this.database.pool.query<Product>(
      'SELECT id, name, note, price FROM products ORDER BY position',
    );
    const phonePage = this.config.get<string>('SANDBOX_PAGE') || null;
    return { checkout: randomUUID(), products: rows, phonePage };
  }
}
