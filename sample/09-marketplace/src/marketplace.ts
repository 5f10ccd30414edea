import { type INestApplication, type NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';

/** Creates the application, not listening yet. */
export function createMarketplace(options: NestApplicationOptions = {}): Promise<INestApplication> {
  return NestFactory.create(AppModule, options);
}
