import { describe, expect, it, jest } from '@jest/globals';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { capturedBody } from '../../../../lib/webhooks/capture/captured-body.js';
import { captureOnExpress, type ExpressLike } from '../../../../lib/webhooks/capture/express.capture.js';

type Captured = IncomingMessage & { body?: unknown };
type Middleware = Parameters<ExpressLike['use']>[0];

/** What the last application was given to run before everything else. */
let first: Middleware | undefined;

/** What Express gets of a POST request whose sender writes these parts, and then ends, hangs up or fails. */
async function captured(
  parts: readonly string[],
  end: 'ends' | 'hangs up' | 'fails' = 'ends',
  limit = 1_024,
): Promise<Captured> {
  const stream = new PassThrough();
  const request = Object.assign(stream, { method: 'POST', headers: {} });
  return new Promise((resolve) => {
    const app: ExpressLike = {
      request: { path: '/hooks' },
      router: { stack: [] },
      handle: (handled) => {
        resolve(handled);
      },
      use: (middleware) => (first = middleware),
    };
    captureOnExpress(app, () => limit);
    app.handle(request as never, {} as ServerResponse);
    for (const part of parts) stream.write(part);
    if (end === 'ends') stream.end();
    else stream.destroy(end === 'fails' ? new Error('unreadable') : undefined);
  });
}

describe('the body of a webhook on Express', () => {
  it('is parsed for whoever asks for it, and may be replaced', async () => {
    const request = await captured(['{"a":', '1}']);
    expect(request.body).toEqual({ a: 1 });
    request.body = 'another';
    expect([request.body, Object.keys(request).includes('body')]).toEqual(['another', true]);
  });

  it('is undefined where it is no JSON', async () => {
    const request = await captured(['{"a":']);
    expect(request.body).toBeUndefined();
  });

  it('is the same property on every request: with one of its own each would be of another shape', async () => {
    const [one, other] = [await captured(['{}']), await captured(['[]'])];
    const propertyOf = (request: Captured): unknown => Object.getOwnPropertyDescriptor(request, 'body')?.get;
    expect(propertyOf(one)).toBeInstanceOf(Function);
    expect(propertyOf(one)).toBe(propertyOf(other));
    expect([one.body, other.body]).toEqual([{}, []]);
  });

  it.each(['hangs up', 'fails'] as const)('is refused where the sender %s before its end', async (end) => {
    const request = await captured(['{"a":'], end);
    expect(capturedBody(request)).toEqual({ refusedWith: 400 });
    expect(request.body).toBeUndefined();
  });

  it.each([
    ['an error', 'hangs up', [expect.objectContaining({ status: 400 })]],
    ['nothing', 'ends', [undefined]],
  ] as const)('gives what comes behind it %s where the sender %s', async (_what, end, told) => {
    const request = await captured(['{}'], end);
    const next = jest.fn();
    first?.(request as never, {} as ServerResponse, next);
    expect(next.mock.calls).toEqual([told]);
  });

  it('is kept in few pieces, however small those are that come', async () => {
    const concat = jest.spyOn(Buffer, 'concat');
    const body = JSON.stringify('0123456789'.repeat(500));
    try {
      const request = await captured(Array.from(body), 'ends', body.length);
      expect(capturedBody(request)).toEqual({ bytes: Buffer.from(body) });
      expect(Math.max(...concat.mock.calls.map(([pieces]) => pieces.length))).toBeLessThan(2_000);
    } finally {
      concat.mockRestore();
    }
  });
});
