import { describe, expect, it } from 'vitest';
import {
  type Candidate,
  describeForeignAnswer,
  type ForeignAnswer,
  reachedBefore,
} from '../../../../lib/webhooks/route/foreign-answer.js';

const answer: ForeignAnswer = {
  path: '/webhooks/payments',
  status: 401,
  reached: undefined,
  isGenuine: true,
  host: 'fastify',
  globalClasses: new Map<Candidate, string[]>([
    ['a guard', ['JwtAuthGuard', 'RolesGuard']],
    ['a pipe', []],
    ['an exception filter', ['AlwaysFine']],
  ]),
};

describe('an answer', () => {
  it.each([
    [200, 200, 'ours'],
    [200, 204, 'ours'],
    [200, 300, 200],
    [500, 204, 500],
    ['refused unverified', 200, 'ours'],
    ['left to the route', 409, 'ours'],
    ['handlers', 200, 'handlers'],
    [undefined, 200, undefined],
  ] as const)('after %s with the status %i is seen as %s', (progress, status, seen) => {
    expect(reachedBefore(progress, status)).toBe(seen);
  });
});

describe('the line about a foreign answer', () => {
  it('names the path, every candidate with its global classes, the effect and the remedy', () => {
    expect(describeForeignAnswer(answer)).toBe(
      'A webhook at POST /webhooks/payments was answered 401 by a guard (global: JwtAuthGuard, RolesGuard), a middleware, ' +
        'a body parser, or a hook of Fastify, not by this package: no handler ran. If a guard did, let it pass this route, ' +
        'with its own decorator such as @Public(): the signature says who sends. See docs/webhooks.md#foreign-answers.',
    );
  });

  it('says that nobody checked the signature', () => {
    expect(describeForeignAnswer({ ...answer, isGenuine: false })).toContain(
      'A webhook at POST /webhooks/payments, whose signature nobody checked, was answered 401 by a guard',
    );
  });

  it.each<[Partial<ForeignAnswer>, string]>([
    [{ status: 200 }, 'a hook of Fastify, or an exception filter (global: AlwaysFine)'],
    [{ reached: 'verified' }, ' by an interceptor or a guard (global: JwtAuthGuard, RolesGuard)'],
    [{ reached: 'parameters' }, ' by a pipe or an interceptor'],
    [{ reached: 'handlers' }, ' by an interceptor, a middleware, or a hook of Fastify'],
    [{ reached: 200 }, ' by an interceptor or an exception filter (global: AlwaysFine)'],
  ])('after %j has the candidates%s', (told, who) => {
    expect(describeForeignAnswer({ ...answer, ...told })).toContain(`${who}, not by this package: `);
  });

  it.each<[Partial<ForeignAnswer>, string]>([
    [{}, ' by a guard (global: JwtAuthGuard, RolesGuard), a middleware, or a body parser'],
    [{ reached: 'handlers' }, ' by an interceptor or a middleware'],
  ])('names no hook of Fastify on Express, after %j', (told, who) => {
    const line = describeForeignAnswer({ ...answer, ...told, host: 'express' });
    expect(line).toContain(`${who}, not by this package: `);
    expect(line).not.toMatch(/Fastify| hooks/);
  });

  it.each<[Partial<ForeignAnswer>, string]>([
    [{ status: 401 }, 'no handler ran. If a guard did, let it pass this route'],
    [{ status: 403 }, 'no handler ran. If a guard did, let it pass this route'],
    [{ status: 429 }, 'no handler ran. If a throttler did, give this route a limit of its own or none'],
    [
      { status: 413 },
      'no handler ran. If a body parser did (entity.too.large), raise its limit to webhooks.bodyLimit',
    ],
    [{ status: 500 }, 'no handler ran. Take this path out of it'],
    [{ status: 308 }, 'no handler ran. Take the redirect off this path'],
    [{ status: 404 }, 'no handler ran. Take this path out of it'],
    [{ status: 204 }, 'the gateway takes it for handled, and no handler ran. Take this path'],
    [{ status: 408, reached: 'handlers' }, 'its handlers had not ended. Let interceptors'],
    [
      { status: 200, reached: 'handlers' },
      'the gateway takes it for handled, and its handlers had not ended. Let',
    ],
    [{ status: 400, reached: 'parameters' }, 'no handler ran. Let interceptors'],
    [
      { status: 200, reached: 500 },
      'the package answered 500, and the gateway does not deliver it again. Let',
    ],
    [{ status: 502, reached: 200 }, 'the package answered 200. Let interceptors'],
  ])('after %j says what it means and what to do', (told, text) => {
    expect(describeForeignAnswer({ ...answer, ...told })).toContain(`, not by this package: ${text}`);
  });
});
