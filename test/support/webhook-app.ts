import {
  type INestApplication,
  type LoggerService,
  type ModuleMetadata,
  type NestApplicationOptions,
} from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { type Agent, request } from 'node:http';
import { type AddressInfo, type Server } from 'node:net';
import { hmac, PaymentsModule, type PaymentsModuleRootOptions, type WebhookOptions } from 'nestjs-payments';
import { signWebhook } from 'nestjs-payments/testing';

export const secret = 'a-signing-secret-of-the-merchant';
export const scheme = hmac({
  header: 'x-webhook-signature',
  algorithm: 'sha256',
  encoding: 'hex',
  payload: ['body'],
});

export const adapters = ['express', 'fastify'] as const;
export type AdapterName = (typeof adapters)[number];

/** Collects what an application logs. */
export class LogLines implements LoggerService {
  readonly lines: { readonly level: string; readonly text: string }[] = [];

  log(...text: unknown[]): void {
    this.add('log', text);
  }
  warn(...text: unknown[]): void {
    this.add('warn', text);
  }
  error(...text: unknown[]): void {
    this.add('error', text);
  }
  fatal(...text: unknown[]): void {
    this.add('error', text);
  }

  of(level: string): string[] {
    return this.lines.filter((line) => line.level === level).map(({ text }) => text);
  }

  /** The lines of the package's webhooks only. */
  webhooks(level: string): string[] {
    return this.of(level).filter((line) => line.endsWith(' PaymentsWebhooks'));
  }

  private add(level: string, text: readonly unknown[]): void {
    this.lines.push({ level, text: text.map(String).join(' ') });
  }
}

export function paymentsOptions(
  webhooks: Partial<WebhookOptions> = {},
  more: Partial<PaymentsModuleRootOptions> = {},
): PaymentsModuleRootOptions {
  return {
    baseUrl: 'http://127.0.0.1:9/api/v1',
    apiKey: 'pk_test_shop',
    apiSecret: 'sk_test_shop',
    webhooks: { scheme, secrets: [secret], ...webhooks },
    ...more,
  };
}

export interface WebhookApp {
  readonly app: INestApplication;
  readonly logs: LogLines;
  readonly port: number;
}

export interface WebhookAppOptions extends ModuleMetadata {
  /** Registrations of the package; the default account with the usual options when left out. */
  readonly payments?: readonly PaymentsModuleRootOptions[];
  readonly prepare?: (app: INestApplication) => void;
  readonly nest?: NestApplicationOptions;
}

/** Starts an application with webhooks on a free port of the loopback interface. */
export async function startWebhookApp(
  adapter: AdapterName,
  { payments = [paymentsOptions()], prepare, nest = {}, imports = [], ...metadata }: WebhookAppOptions,
): Promise<WebhookApp> {
  const logs = new LogLines();
  const module = await Test.createTestingModule({
    imports: [...imports, ...payments.map((options) => PaymentsModule.forRoot(options))],
    ...metadata,
  })
    .setLogger(logs)
    .compile();
  const app = module.createNestApplication(
    adapter === 'express' ? new ExpressAdapter() : new FastifyAdapter(),
    { ...nest, logger: logs },
  );
  try {
    prepare?.(app);
    await app.init();
    if (adapter === 'fastify') await (app as NestFastifyApplication).getHttpAdapter().getInstance().ready();
    await app.listen(0, '127.0.0.1');
  } catch (error) {
    await app.close();
    throw error;
  }
  return { app, logs, port: ((app.getHttpServer() as Server).address() as AddressInfo).port };
}

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
}

export type Headers = Record<string, string | string[]>;

/** Sends exactly these bytes. */
export function send(
  port: number,
  path: string,
  body: string | Uint8Array,
  headers: Headers = { 'content-type': 'application/json' },
  method = 'POST',
  agent: Agent | false = false,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, method, headers, agent }, (response) => {
      const chunks: Uint8Array[] = [];
      response.on('data', (chunk: Uint8Array) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

/** Sends a body with a right signature. */
export function deliver(
  port: number,
  body: string | Uint8Array | object,
  {
    path = '/webhooks/payments',
    headers = {},
    agent = false,
  }: { path?: string; headers?: Headers; agent?: Agent | false } = {},
): Promise<Answer> {
  const bytes = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const signed = { 'content-type': 'application/json', ...signWebhook({ scheme, secret, body: bytes }) };
  return send(port, path, bytes, { ...signed, ...headers }, 'POST', agent);
}
