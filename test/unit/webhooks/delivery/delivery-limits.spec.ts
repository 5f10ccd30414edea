import { describe, expect, it } from 'vitest';
import { EventEmitter } from 'node:events';
import { type ServerResponse } from 'node:http';
import { headRefusal, headersOf, loosestLimits } from '../../../../lib/webhooks/delivery/delivery-limits.js';
import { releaseAtEnd, UnverifiedBytes } from '../../../../lib/webhooks/raw-body/unverified-bytes.js';

const limits = { bodyLimit: 10, requiredHeaders: ['x-signature', 'x-time'] };
const signed = { 'x-signature': 's', 'x-time': '1' };

describe('the head of a delivery', () => {
  it.each([
    ['all headers of the scheme', signed, undefined],
    ['an empty header of the scheme', { ...signed, 'x-time': '' }, undefined],
    ['no header of the scheme', {}, 401],
    ['one of two headers of the scheme', { 'x-signature': 's' }, 401],
    ['a body of the limit', { ...signed, 'content-length': '10' }, undefined],
    ['a body over the limit', { ...signed, 'content-length': '11' }, 413],
    ['a body over the limit and no signature', { 'content-length': '11' }, 413],
    ['a compressed body', { ...signed, 'content-encoding': 'gzip' }, 415],
    [
      'another type, and everything else wrong',
      { 'content-type': 'text/plain', 'content-length': '11' },
      415,
    ],
  ])('with %s', (_what, headers, expected) => {
    expect(headRefusal(headers, limits)).toBe(expected);
  });

  it('may lack every header where the scheme names none', () => {
    expect(headRefusal({}, { ...limits, requiredHeaders: [] })).toBeUndefined();
  });
});

describe('the headers of a delivery', () => {
  const given = { 'X-Signature': 's', 'x-time': '1', 'Content-Length': '11' };

  it("are Node's own where it has parsed them", () => {
    const headers = { 'x-signature': 's' };
    expect(headersOf({ headers, rawHeaders: ['X-Signature', 's'] })).toBe(headers);
  });

  it.each([
    ['no raw ones', { headers: given }],
    ['empty raw ones', { headers: given, rawHeaders: [] }],
  ])('have lower-case names where a host made the request up, with %s', (_what, request) => {
    expect(headersOf(request)).toEqual({ 'x-signature': 's', 'x-time': '1', 'content-length': '11' });
    expect(headRefusal(headersOf(request), limits)).toBe(413);
    expect(headRefusal(headersOf(request), { ...limits, bodyLimit: 11 })).toBeUndefined();
  });
});

describe('the limits of routes that share a path', () => {
  const one = { bodyLimit: 1, bodyTimeoutMs: 20, unverifiedBytesLimit: 300, requiredHeaders: ['a', 'both'] };
  const other = {
    bodyLimit: 10,
    bodyTimeoutMs: 2,
    unverifiedBytesLimit: 400,
    requiredHeaders: ['both', 'b'],
  };

  it.each([
    ['none', [undefined], undefined],
    ['one', [one], one],
    ['one that is not there and another', [undefined, other], other],
    [
      'two',
      [one, other],
      { bodyLimit: 10, bodyTimeoutMs: 20, unverifiedBytesLimit: 400, requiredHeaders: ['both'] },
    ],
  ])('of %s', (_what, ofRoutes, expected) => {
    expect(loosestLimits(ofRoutes)).toEqual(expected);
  });
});

describe('the room for unverified bytes', () => {
  it.each(['finish', 'close'])('is free again at the %s of the response, for good', (event) => {
    const room = new UnverifiedBytes();
    const [body, other] = [room.body(100), room.body(100)];
    const response = new EventEmitter();
    releaseAtEnd(response as unknown as ServerResponse, body);
    expect(body.admit(100, true)).toBe(true);
    expect(other.admit(1, true)).toBe(false);
    response.emit(event);
    expect(body.admit(1, true)).toBe(false);
    expect(other.admit(100, true)).toBe(true);
  });

  it('is one for all bodies, and half of it for those that have not come to their end', () => {
    const room = new UnverifiedBytes();
    const [slow, other, whole] = [room.body(100), room.body(100), room.body(100)];
    expect(slow.admit(30, false)).toBe(true);
    expect(other.admit(20, false)).toBe(true);
    expect(other.admit(1, false)).toBe(false);
    expect(whole.admit(50, true)).toBe(true);
    expect(slow.admit(1, true)).toBe(false);
  });

  it('is given back once, and only what was taken', () => {
    const room = new UnverifiedBytes();
    const [first, second, third] = [room.body(10), room.body(10), room.body(10)];
    first.admit(10, true);
    expect(second.admit(10, true)).toBe(false);
    second.release();
    expect(third.admit(1, true)).toBe(false);
    first.release();
    first.release();
    expect(third.admit(10, true)).toBe(true);
    expect(room.body(10).admit(1, true)).toBe(false);
  });
});
