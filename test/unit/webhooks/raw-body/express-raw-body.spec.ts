import { expect, it, vi } from 'vitest';
import { PassThrough } from 'node:stream';
import {
  captureOnExpress,
  type ExpressLike,
  type ExpressRequest,
  settleBeforeParsers,
} from '../../../../lib/webhooks/raw-body/express-raw-body.js';
import { type ExpectedDelivery, UnverifiedBytes } from '../../../../lib/webhooks/raw-body/captured-body.js';

type Middleware = Parameters<ExpressLike['use']>[0];

const LIMITS = { bodyLimit: 100, bodyTimeoutMs: 60_000, unverifiedBytesLimit: 100, requiredHeaders: [] };

it.each([
  ['once if the request keeps it', '/webhooks', ['/webhooks']],
  ['again if a middleware has changed it', '/other', ['/webhooks', '/other']],
])('A path is looked up %s.', async (_what, later, asked) => {
  const middlewares: Middleware[] = [];
  const app: ExpressLike = { use: (middleware) => middlewares.push(middleware) };
  const at = vi.fn((path: string): ExpectedDelivery => {
    return { path, limits: LIMITS, receiver: undefined, isCertain: false };
  });
  const keep = captureOnExpress(app, { at }, new UnverifiedBytes(), () => {});
  settleBeforeParsers(app, { at }, keep, () => {});
  const stream = new PassThrough();
  stream.end('{}');
  const head = {
    method: 'POST',
    path: '/webhooks',
    headers: { 'content-length': '2' },
    rawHeaders: ['a', 'b'],
  };
  const request = Object.assign(stream, head);
  const response = new PassThrough();
  const [capture, settle] = middlewares.map(
    (middleware) => () =>
      new Promise((resolve) => {
        middleware(request as unknown as ExpressRequest, response as never, resolve);
      }),
  );
  await capture?.();
  request.path = later;
  await settle?.();
  expect(at.mock.calls.flat()).toEqual(asked);
});

it('The middlewares have names, which tracers show in every request of the application.', () => {
  const names: string[] = [];
  const app: ExpressLike = { use: ({ name }) => names.push(name) };
  const paths = { at: () => undefined };
  settleBeforeParsers(
    app,
    paths,
    captureOnExpress(app, paths, new UnverifiedBytes(), () => {}),
    () => {},
  );
  expect(names).toEqual(['paymentsRawBody', 'paymentsVerdict']);
});
