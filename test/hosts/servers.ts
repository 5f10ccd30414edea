import { connect, type IncomingHttpHeaders } from 'node:http2';
import { request as requestHttps } from 'node:https';
import { readFileSync } from 'node:fs';
import { type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { Transport } from '@nestjs/microservices';
import { ExpressAdapter } from '@nestjs/platform-express';
import supertest from 'supertest';
import { createServer, type RequestListener } from 'node:http';
import {
  type Host,
  type HostAnswer,
  listenerOf,
  ownServer,
  PATH,
  type RunningHost,
  serving,
} from './host.js';

const tls = (file: string): Buffer => readFileSync(join('test', 'support', 'tls', `loopback.${file}.pem`));
export const TLS = { key: tls('key'), cert: tls('cert') };

async function portOf(app: Parameters<Host>[0]): Promise<number> {
  await app.listen(0, '127.0.0.1');
  return ((app.getHttpServer() as Server).address() as AddressInfo).port;
}

export const plain: Host = async (app) => ownServer(await listenerOf(app));

/** For an application that was made with `httpsOptions`. */
export const https: Host = async (app) => {
  const port = await portOf(app);
  return {
    post: (body, headers) =>
      new Promise<HostAnswer>((resolve, reject) => {
        const options = { host: '127.0.0.1', port, path: PATH, method: 'POST', headers, ca: TLS.cert };
        const outgoing = requestHttps({ ...options, agent: false }, (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => (text += chunk.toString()));
          response.on('end', () => {
            resolve({ status: response.statusCode ?? 0, text });
          });
        });
        outgoing.once('error', reject);
        outgoing.end(body);
      }),
  };
};

/** For a Fastify application that was made with `http2: true`. */
export const http2: Host = async (app) => {
  const session = connect(`http://127.0.0.1:${await portOf(app)}`);
  return {
    post: (body, headers) =>
      new Promise<HostAnswer>((resolve, reject) => {
        const stream = session.request({ ...headers, ':method': 'POST', ':path': PATH });
        let status = 0;
        let text = '';
        stream.on('response', (given: IncomingHttpHeaders & { ':status'?: number }) => {
          status = given[':status'] ?? 0;
        });
        stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
        stream.on('end', () => {
          resolve({ status, text });
        });
        stream.once('error', reject);
        stream.end(body);
      }),
    close: () =>
      new Promise<void>((resolve) => {
        session.close(resolve);
      }),
  };
};

export const withSupertest: Host = async (app) => {
  await listenerOf(app);
  return {
    post: async (body, headers) => {
      // A Buffer would be written as JSON.
      const { status, text } = await supertest(app.getHttpServer() as Server)
        .post(PATH)
        .set(headers)
        .send(body.toString());
      return { status, text };
    },
  };
};

/** With a server for messages beside the one for HTTP. */
export const hybrid: Host = async (app) => {
  // Nest loads its microservices here, and takes them for granted below.
  await app.init();
  app.connectMicroservice(
    { transport: Transport.TCP, options: { host: '127.0.0.1', port: 0 } },
    { inheritAppConfig: true },
  );
  await app.startAllMicroservices();
  return plain(app);
};

type Middleware = (request: never, response: never, next: () => void) => void;

/** An application of Express around the one of Nest, under a path of its own. */
export function insideExpress(...before: readonly Middleware[]): Host {
  return async (app) => {
    const outer = new ExpressAdapter().getInstance<RequestListener & { use(...parts: unknown[]): unknown }>();
    for (const middleware of before) outer.use(middleware);
    outer.use('/shop', await listenerOf(app));
    return mounted(outer);
  };
}

function mounted(outer: RequestListener): Promise<RunningHost> {
  return serving(createServer(outer), `/shop${PATH}`);
}
