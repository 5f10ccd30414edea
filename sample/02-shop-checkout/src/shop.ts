import { type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type NestApplicationOptions, type Type } from '@nestjs/common';
import { ConfigService } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import { pageHeaders } from './pages/page-headers.js';
import { PromptCloseAdapter } from './prompt-close.adapter.js';

const FILES = join(import.meta.dirname, '..', 'public');

/** Creates the application, not listening yet. */
export async function createShop(
  options: NestApplicationOptions = {},
  module: Type = AppModule,
): Promise<NestExpressApplication> {
  const shop = await NestFactory.create<NestExpressApplication>(module, new PromptCloseAdapter(), options);
  const headers = Object.entries(pageHeaders(shop.get(ConfigService).get<string>('FRAMED_BY')));
  shop.use((_request: IncomingMessage, response: ServerResponse, next: () => void) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  });
  shop.useStaticAssets(FILES);
  return shop;
}
