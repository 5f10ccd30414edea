// What Vercel calls: the handler of an application, and at GET /seen what it has seen.
import { Controller, Get, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import {
  OnPayment,
  PaymentsModule,
  type PaymentWebhookEvent,
  type WebhookHostRequest,
} from 'nestjs-payments';
import { unverifiedBytesIn } from '../support/unverified-bytes.js';
import { paymentsOptions } from '../support/webhook-app.js';
import { WebhooksController } from '../support/webhooks.controller.js';
import { listenerOf } from './host.js';

/** What the application is like; the host's environment says so. */
export interface VercelAppSettings {
  readonly adapter: 'Express' | 'Fastify';
  readonly rawBody: boolean;
}

export interface SeenByVercelApp {
  readonly events: readonly PaymentWebhookEvent[];
  readonly held: number;
}

const { adapter, rawBody } = JSON.parse(process.env['VERCEL_APP'] ?? '{}') as VercelAppSettings;
const events: PaymentWebhookEvent[] = [];

@Injectable()
class Orders {
  @OnPayment('*')
  heard(event: PaymentWebhookEvent): void {
    events.push(event);
  }
}

@Controller('seen')
class SeenController {
  @Get()
  seen(): SeenByVercelApp {
    return { events, held: unverifiedBytesIn(app) };
  }
}

/** The helpers have read the body, and replay it to every listener. */
function replayed(request: WebhookHostRequest): Promise<Buffer> {
  const { raw = request } = request as WebhookHostRequest & { readonly raw?: object };
  const stream = raw as NodeJS.EventEmitter;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      resolve(Buffer.concat(chunks));
    });
  });
}

@Module({
  imports: [PaymentsModule.forRoot(paymentsOptions(rawBody ? { rawBody: replayed } : {}))],
  controllers: [WebhooksController, SeenController],
  providers: [Orders],
})
class AppModule {}

const app = await NestFactory.create(
  AppModule,
  adapter === 'Express' ? new ExpressAdapter() : new FastifyAdapter(),
);

const listener = await listenerOf(app);

/** A function of one's own: an Express instance that is exported itself gets no helpers. */
export default (request: IncomingMessage, response: ServerResponse): void => {
  listener(request, response);
};
