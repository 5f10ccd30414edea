import { type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';

const HEADERS = {
  'Content-Security-Policy':
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  // Answers hold names and salaries.
  'Cache-Control': 'no-store',
};

/** Creates the application, not listening yet. */
export async function createPayroll(options: NestApplicationOptions = {}): Promise<NestExpressApplication> {
  const payroll = await NestFactory.create<NestExpressApplication>(AppModule, {
    // A browser opens connections ahead and keeps them for a minute without a request: the stop would wait for them.
    forceCloseConnections: true,
    ...options,
  });
  payroll.use((_request: IncomingMessage, response: ServerResponse, next: () => void) => {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    next();
  });
  payroll.useStaticAssets(join(import.meta.dirname, '..', 'public'));
  return payroll;
}
