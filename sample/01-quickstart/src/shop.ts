import { type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import { PromptCloseAdapter } from './prompt-close.adapter.js';

const PAGE = join(import.meta.dirname, '..', 'public');

/** Creates the application, not listening yet. Webhooks need no `rawBody` and no body parser here. */
export async function createShop(options: NestApplicationOptions = {}): Promise<NestExpressApplication> {
  const shop = await NestFactory.create<NestExpressApplication>(AppModule, new PromptCloseAdapter(), options);
  shop.useStaticAssets(PAGE, {
    setHeaders: (response: ServerResponse) => {
      response.setHeader('Content-Security-Policy', "default-src 'self'");
    },
  });
  return shop;
}
