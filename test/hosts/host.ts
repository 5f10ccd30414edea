import { type INestApplication } from '@nestjs/common';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Answer, send } from '../support/webhook-app.js';

/** What a host was answered. */
export type HostAnswer = Pick<Answer, 'status' | 'text'>;

/** An application that runs in a host. */
export interface RunningHost {
  /** Delivers these bytes at `/webhooks/payments`. */
  readonly post: (body: Buffer, headers: Readonly<Record<string, string>>) => Promise<HostAnswer>;
  readonly close?: () => Promise<unknown>;
}

/** Runs an application that is made, but not yet initialised. */
export type Host = (app: INestApplication) => Promise<RunningHost>;

export const PATH = '/webhooks/payments';

/** What Express and Fastify applications are to a server. */
export async function listenerOf(app: INestApplication): Promise<RequestListener> {
  await app.init();
  const adapter = app.getHttpAdapter();
  const instance: unknown = adapter.getInstance();
  if (adapter.getType() === 'express') return instance as RequestListener;
  const fastify = instance as { ready(): Promise<void>; routing: RequestListener };
  await fastify.ready();
  return fastify.routing;
}

/** A server of the host's own, with the application as what it calls. */
export async function ownServer(listener: RequestListener): Promise<RunningHost> {
  return serving(createServer(listener));
}

/** Opens a server on a free port. */
export async function serving(server: Server, path = PATH): Promise<RunningHost> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    post: (body, headers) => send(port, path, body, headers),
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

/** All bytes of a request, as a host reads them before it calls an application. */
export async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
