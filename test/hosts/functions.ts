import serverlessExpress from '@codegenie/serverless-express';
import awsLambdaFastify from '@fastify/aws-lambda';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { createHandlerAdapter } from '@nestjs/azure-func-http/dist/adapter/azure-adapter.js';
import { AzureHttpAdapter } from '@nestjs/azure-func-http/dist/azure-http.adapter.js';
import { onRequest } from 'firebase-functions/https';
import { randomUUID } from 'node:crypto';
import serverless from 'serverless-http';
import {
  bytesOf,
  type Host,
  type HostAnswer,
  listenerOf,
  ownServer,
  PATH,
  type RunningHost,
  serving,
} from './host.js';

type Lambda = (event: object, context: object) => Promise<{ statusCode: number; body: string }>;
type Delivery = Parameters<RunningHost['post']>;
type EventOf = (...delivery: Delivery) => object;

/** An event of API Gateway's HTTP APIs and of function URLs. */
const versionTwo =
  (isBase64Encoded: boolean): EventOf =>
  (body, headers) => ({
    version: '2.0',
    routeKey: '$default',
    rawPath: PATH,
    rawQueryString: '',
    headers,
    requestContext: {
      http: { method: 'POST', path: PATH, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'gateway' },
      requestId: 'one',
      stage: '$default',
    },
    body: body.toString(isBase64Encoded ? 'base64' : 'utf8'),
    isBase64Encoded,
  });

/** An event of API Gateway's REST APIs, which tells headers that came twice apart. */
const versionOne =
  (isBase64Encoded: boolean): EventOf =>
  (body, headers) => ({
    resource: '/{proxy+}',
    path: PATH,
    httpMethod: 'POST',
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    requestContext: { identity: { sourceIp: '127.0.0.1' }, requestId: 'one', stage: 'prod' },
    body: body.toString(isBase64Encoded ? 'base64' : 'utf8'),
    isBase64Encoded,
  });

/** As a function URL, an ALB or a test may give it: no header says how long the body is. */
const withoutLength =
  (eventOf: EventOf): EventOf =>
  (body, { 'content-length': _length, ...headers }) =>
    eventOf(body, headers);

export const LAMBDA_EVENTS: readonly (readonly [name: string, eventOf: EventOf])[] = [
  ['an event of version 2', versionTwo(false)],
  ['an event of version 2 in base64', versionTwo(true)],
  ['an event of version 1', versionOne(false)],
  ['an event of version 1 in base64', versionOne(true)],
  ['an event of version 2 without content-length', withoutLength(versionTwo(false))],
  ['an event of version 1 without content-length', withoutLength(versionOne(false))],
];

function lambda(handler: Lambda, eventOf: EventOf): RunningHost {
  return {
    post: async (...delivery) => {
      const { statusCode, body } = await handler(eventOf(...delivery), { awsRequestId: 'one' });
      return { status: statusCode, text: body };
    },
  };
}

export const serverlessHttp =
  (eventOf: EventOf): Host =>
  async (app) =>
    lambda(serverless(await listenerOf(app)), eventOf);

export const codegenie =
  (eventOf: EventOf): Host =>
  async (app) =>
    lambda(serverlessExpress({ app: await listenerOf(app) }), eventOf);

export const awsLambda =
  (eventOf: EventOf): Host =>
  async (app) => {
    await listenerOf(app);
    return lambda(awsLambdaFastify(app.getHttpAdapter().getInstance()), eventOf);
  };

export const functionsFramework: Host = async (app) => {
  const name = `payments-${randomUUID()}`;
  http(name, await listenerOf(app));
  return serving(getTestServer(name));
};

/** Firebase's own wrapper around the application, in the framework that it is deployed in. */
export const firebase: Host = async (app) => {
  const name = `payments-${randomUUID()}`;
  http(name, onRequest(await listenerOf(app)));
  return serving(getTestServer(name));
};

/** A context of Azure Functions up to version 3, as its worker fills it. */
function azureContext(
  [body, headers]: Delivery,
  done: (answer: HostAnswer) => void,
): { readonly req: object } {
  const context = {
    req: {
      method: 'POST',
      originalUrl: `https://shop.azurewebsites.net${PATH}`,
      headers: { ...headers },
      query: {},
      params: {},
      body: JSON.parse(body.toString()) as unknown,
      rawBody: body.toString(),
    },
    res: {} as { status?: number; body?: unknown },
    done: () => {
      done({ status: context.res.status ?? 0, text: String(context.res.body) });
    },
  };
  return context;
}

export const azure: Host = async (app) => {
  await listenerOf(app);
  return {
    post: (...delivery) =>
      new Promise((resolve) => {
        const context = azureContext(delivery, resolve);
        AzureHttpAdapter.handle(() => Promise.resolve(app), context, context.req);
      }),
  };
};

/** Header names as the sender wrote them. */
export const azureWithSentNames: Host = async (app) => {
  const handler = createHandlerAdapter(await listenerOf(app));
  const capitalized = (name: string): string => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  return {
    post: (body, headers) =>
      new Promise((resolve) => {
        const sent = Object.entries(headers).map(([name, value]) => [capitalized(name), value]);
        handler(azureContext([body, Object.fromEntries(sent) as typeof headers], resolve));
      }),
  };
};

export const vercel: Host = async (app) => ownServer(await listenerOf(app));

/** With Vercel's helpers the body was read, and is there in its parsed form alone. */
export const vercelWithHelpers: Host = async (app) => {
  const listener = await listenerOf(app);
  return ownServer((request, response) => {
    void bytesOf(request).then((bytes) => {
      const parsed = (): unknown => JSON.parse(bytes.toString());
      Object.defineProperty(request, 'body', { configurable: true, enumerable: true, get: parsed });
      listener(request, response);
    });
  });
};
