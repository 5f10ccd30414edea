import { describe, expect, it } from 'vitest';
import { lastRouteMatcher } from '../../../../lib/webhooks/raw-body/express-router.js';

/** A layer of the router for a route. */
function layerOf(path: string): object {
  return {
    route: { path },
    taken: `${path}/taken`,
    match(this: { readonly taken: string }, requested: string) {
      return requested === this.taken && { path };
    },
  };
}

describe('which paths the last route takes', () => {
  it('is what its layer says', () => {
    const matches = lastRouteMatcher({ router: { stack: [layerOf('/first'), layerOf('/last')] } }, '/last');
    expect(matches('/last/taken')).toBe(true);
    expect(matches('/first/taken')).toBe(false);
  });

  it.each<[what: string, app: { readonly router?: unknown }]>([
    ['the last layer is another route', { router: { stack: [layerOf('/last'), layerOf('/first')] } }],
    ['the last layer is a middleware', { router: { stack: [layerOf('/last'), { match: () => true }] } }],
    ['the layer has no match', { router: { stack: [{ route: { path: '/last' } }] } }],
    ['there is no layer', { router: { stack: [] } }],
    ['there is no stack', { router: { stack: 'none' } }],
    ['there is no router', {}],
    [
      'the router of Express 4 is asked for',
      {
        get router(): unknown {
          throw new Error("'app.router' is deprecated!");
        },
      },
    ],
  ])('is none if %s', (_what, app) => {
    expect(lastRouteMatcher(app, '/last')('/last/taken')).toBe(false);
  });
});
