import { describe, expect, it } from 'vitest';
import { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { checkHead, headerValues, requestedUrl } from '../../../../lib/webhooks/delivery/delivery-head.js';

const limits = { bodyLimit: 10, requiredHeaders: ['x-signature', 'x-time'] };
const signed = { 'x-signature': 's', 'x-time': '1' };

describe('the head of a delivery', () => {
  it.each([
    ['all headers of the scheme', signed, { announced: Number.NaN }],
    ['an empty header of the scheme', { ...signed, 'x-time': '' }, { announced: Number.NaN }],
    ['no header of the scheme', {}, { refusedWith: 401 }],
    ['one of two headers of the scheme', { 'x-signature': 's' }, { refusedWith: 401 }],
    ['a body of the limit', { ...signed, 'content-length': '10' }, { announced: 10 }],
    ['a body over the limit', { ...signed, 'content-length': '11' }, { refusedWith: 413 }],
    ['a body over the limit and no signature', { 'content-length': '11' }, { refusedWith: 413 }],
    ['a compressed body', { ...signed, 'content-encoding': 'gzip' }, { refusedWith: 415 }],
    [
      'another type, and everything else wrong',
      { 'content-type': 'text/plain', 'content-length': '11' },
      { refusedWith: 415 },
    ],
  ])('with %s', (_what, headers, expected) => {
    expect(checkHead({ headers, rawHeaders: ['Host', 'shop.test'] }, limits)).toEqual(expected);
  });

  it('may lack every header if the scheme names none', () => {
    expect(checkHead({ headers: {} }, { ...limits, requiredHeaders: [] })).toEqual({ announced: Number.NaN });
  });

  it("has Node's own headers if Node has parsed it, whatever their case", () => {
    const headers = { 'X-Signature': 's', 'x-time': '1' };
    expect(checkHead({ headers, rawHeaders: ['X-Signature', 's'] }, limits)).toEqual({ refusedWith: 401 });
  });

  const made = { 'X-Signature': 's', 'x-time': '1', 'Content-Length': '11' };

  it.each([
    ['no raw headers', { headers: made }],
    ['empty raw headers', { headers: made, rawHeaders: [] }],
  ])('may have names in any case if a host made up the request, with %s', (_what, request) => {
    expect(checkHead(request, limits)).toEqual({ refusedWith: 413 });
    expect(checkHead(request, { ...limits, bodyLimit: 11 })).toEqual({ announced: 11 });
  });
});

const headers: IncomingHttpHeaders = { 'x-signature': 'one, two', 'set-cookie': ['a', 'b'] };

describe('headerValues()', () => {
  it('tells repeated headers apart by the raw ones, whatever Node joined', () => {
    const rawHeaders = ['X-Signature', 'one', 'x-signature', 'two', 'Accept', '*/*'];
    expect(headerValues({ headers, rawHeaders })).toEqual(
      new Map([
        ['x-signature', ['one', 'two']],
        ['accept', ['*/*']],
      ]),
    );
  });

  it.each([
    ['are empty, as serverless-http leaves them', { headers, rawHeaders: [] }],
    ["are not there, as in Azure's adapter", { headers }],
  ])('takes the joined headers if the raw ones %s', (_what, request) => {
    expect(headerValues(request)).toEqual(
      new Map([
        ['x-signature', ['one, two']],
        ['set-cookie', ['a', 'b']],
      ]),
    );
  });

  it.each([
    ['a number, as serverless-http writes a length that the event does not tell', 354, ['354']],
    ['nothing', undefined, []],
    ['null', null, []],
  ])('reads %s', (_what, given, values) => {
    const made = { 'content-length': given } as unknown as IncomingHttpHeaders;
    expect(headerValues({ headers: made })).toEqual(new Map([['content-length', values]]));
  });

  it('takes a joined header only if there is no raw header at all', () => {
    expect(headerValues({ headers, rawHeaders: ['Accept', '*/*'] })).toEqual(new Map([['accept', ['*/*']]]));
  });
});

describe('requestedUrl()', () => {
  it.each([
    [{ url: '/webhooks', originalUrl: '/shop/webhooks' }, '/shop/webhooks'],
    [{ url: '/webhooks?a=1' }, '/webhooks?a=1'],
    [{}, ''],
  ])('of %j is %s', (request, url) => {
    expect(requestedUrl(request as IncomingMessage)).toBe(url);
  });
});
