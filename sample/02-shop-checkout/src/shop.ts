import { type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type NestApplicationOptions, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';

const PAGES = join(import.meta.dirname, '..', 'public');
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  // Anybody with the address of an order's page can read it.
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** Creates the application, not listening yet. Webhooks need no `rawBody` and no body parser here. */
export async function createShop(
  options: NestApplicationOptions = {},
  module: Type = AppModule,
): Promise<NestExpressApplication> {
  const shop = await NestFactory.create<NestExpressApplication>(module, options);
  shop.useStaticAssets(PAGES, {
    setHeaders: (response: ServerResponse) => {
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    },
  });
  return shop;
}
