import { describe, expect, it } from 'vitest';
import { payloadParts } from '../../../../lib/cli/webhooks/payload-template.js';

describe('what is signed, from the command line', () => {
  it.each([
    ['body', ['body']],
    ['timestamp,body', ['timestamp', 'body']],
    ['{body}', ['body']],
    ['{id}.{timestamp}.{body}', ['id', { literal: '.' }, 'timestamp', { literal: '.' }, 'body']],
    ['v0:{timestamp}:{body}', [{ literal: 'v0:' }, 'timestamp', { literal: ':' }, 'body']],
    ['{x-tenant}{body}', [{ header: 'x-tenant' }, 'body']],
  ])('as %s', (template, parts) => {
    expect(payloadParts(template)).toEqual(parts);
  });

  it.each(['{body', '{}{body}', '{body}}', '{{body}}'])('is refused as %s', (template) => {
    expect(() => payloadParts(template)).toThrow('--payload has an empty or an open brace');
  });
});
