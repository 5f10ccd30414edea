import { expect, it } from 'vitest';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { captureOnFastify, type FastifyLike } from '../../../../lib/webhooks/raw-body/fastify-raw-body.js';
import { capturedBodies, UnverifiedBytes } from '../../../../lib/webhooks/raw-body/captured-body.js';

type Route = Parameters<Parameters<FastifyLike['addHook']>[1]>[0];

/** More than a stream keeps in its buffer. */
const CHUNK = 100_000;
const LIMITS = {
  bodyLimit: 2 * CHUNK,
  bodyTimeoutMs: 60_000,
  unverifiedBytesLimit: 1_000_000,
  requiredHeaders: [],
};

/** A sender that never comes to an end, and counts what was taken from it. */
class EndlessBody extends Readable {
  chunks = 0;

  override _read(): void {
    void setImmediate().then(() => {
      this.chunks += 1;
      this.push(Buffer.alloc(CHUNK));
    });
  }
}

function asRequest(stream: Readable): IncomingMessage {
  const head = { headers: {}, rawHeaders: ['Host', 'localhost'], httpVersionMajor: 1 };
  return Object.assign(stream, head) as unknown as IncomingMessage;
}

/** Runs the hook that a webhook route gets. */
function receive(request: IncomingMessage): Promise<Readable> {
  const route: Route = { url: '/webhooks' };
  const app: FastifyLike = {
    addHook: (_name, onRoute) => {
      onRoute(route);
    },
  };
  captureOnFastify(
    app,
    () => ['default'],
    () => LIMITS,
    new UnverifiedBytes(),
    () => {},
  );
  const response = new PassThrough() as unknown as ServerResponse;
  return new Promise((resolve) => {
    for (const hook of [route.preParsing ?? []].flat()) {
      hook({ raw: request }, { raw: response }, request, (_error, body) => {
        resolve(body);
      });
    }
  });
}

it('Nothing more is read of a body that is too long until somebody answers.', async () => {
  const body = new EndlessBody();
  const request = asRequest(body);
  const listeners = (): number[] =>
    ['data', 'end', 'error', 'close'].map((name) => request.listenerCount(name));
  const before = listeners();
  await receive(request);
  expect(capturedBodies.get(request)).toEqual({ refusedWith: 413 });
  // What flows on once it is answered is kept by nobody.
  expect(listeners()).toEqual(before);
  const taken = body.chunks;
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
  // One may have been on its way.
  expect(body.chunks - taken).toBeLessThan(2);
  request.destroy();
});

it('A body within the limit is kept whole.', async () => {
  const request = asRequest(Readable.from([Buffer.from('{"event":'), Buffer.from('"payment.success"}')]));
  await receive(request);
  expect(capturedBodies.get(request)).toMatchObject({ bytes: Buffer.from('{"event":"payment.success"}') });
});

it('A body that a host has read already is left to the host, and the parser waits for nothing.', async () => {
  const request = asRequest(Readable.from([Buffer.from('{}')]));
  await text(request);
  expect(JSON.parse(await text(await receive(request)))).toEqual({});
  expect(capturedBodies.get(request)).toBeUndefined();
});
