import { type INestApplication } from '@nestjs/common';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Server as TlsServer } from 'node:tls';
import { type PaymentWebhookEvent } from '../common/events.js';
import { type WebhookScheme } from '../common/webhook-scheme.js';
import { type WebhookSecret } from '../config/webhook-options.js';
import { reachable, whileListening } from './open-server.js';
import { signWebhook } from './sign-webhook.js';

/**
 * The application's answer to the gateway.
 *
 * @publicApi
 */
export interface WebhookResponse {
  /** HTTP status. */
  readonly status: number;
  /** Parsed JSON, or else the text; empty text for an empty body. */
  readonly body: unknown;
}

/**
 * Delivers a signed event to an application over real HTTP or HTTPS, on Express or Fastify, and resolves with the
 * answer. If the application does not listen yet, initializes it and opens a free port for the time of the
 * delivery. Simultaneous deliveries share that port.
 *
 * @param path Full path of the route, prefixes included, with or without its first slash.
 * @throws PaymentsConfigError if the scheme cannot sign, or signs a header other than `content-type`: sign with
 * `signWebhook` then, and send the request yourself.
 *
 * @example
 * ```ts
 * const { status } = await postWebhook(app, '/webhooks/payments', paymentEvent('payment.success'), { scheme, secret });
 * ```
 *
 * @publicApi
 */
export async function postWebhook(
  app: INestApplication,
  path: string,
  event: PaymentWebhookEvent,
  { scheme, secret }: { readonly scheme: WebhookScheme; readonly secret: WebhookSecret },
): Promise<WebhookResponse> {
  const url = path.startsWith('/') ? path : `/${path}`;
  const body = JSON.stringify(event);
  const own = { 'content-type': 'application/json' };
  const headers = { ...own, ...signWebhook({ scheme, secret, body, headers: own, url }) };
  const isTls = app.getHttpServer() instanceof TlsServer;
  return whileListening(app, (address) => post(address, isTls, url, headers, body));
}

function post(
  { address, port }: AddressInfo,
  isTls: boolean,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<WebhookResponse> {
  return new Promise((resolve, reject) => {
    const options = { host: reachable(address), port, path, method: 'POST', headers, agent: false };
    const outgoing = (isTls ? requestHttps : requestHttp)(
      // A test may have any certificate.
      { ...options, ...(isTls && { rejectUnauthorized: false }) },
      (response) => {
        text(response).then((body) => {
          resolve({ status: response.statusCode ?? 0, body: parsed(body) });
        }, reject);
      },
    );
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}
