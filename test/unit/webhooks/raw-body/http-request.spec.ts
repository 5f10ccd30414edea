import { describe, expect, it } from 'vitest';
import { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { headerValues, requestedUrl } from '../../../../lib/webhooks/raw-body/http-request.js';

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
  ])('takes the joined headers where the raw ones %s', (_what, request) => {
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

  it('takes a joined header only where there is no raw one at all', () => {
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
