import { describe, expect, it } from 'vitest';
import { pathTemplate } from '../../../../lib/sandbox/core/path-template.js';
import { findOperation, methodsOf, operationOf } from '../../../../lib/sandbox/core/router.js';
import { type SandboxRequest } from '../../../../lib/sandbox/index.js';

const REQUEST: SandboxRequest = {
  id: '1',
  at: '',
  merchant: 'demo',
  reference: 'order-1',
  method: 'POST',
  path: '/api/v1/payments/mobile-money?source=app',
  headers: {},
  body: { reference: 'order-1' },
  status: 200,
  code: null,
  reason: null,
  duration_ms: 1,
  response_headers: {},
  response_body: null,
  fault: null,
  rule: null,
  varied: [],
};

describe('a path template', () => {
  it.each([
    ['/payments', '/payments', {}],
    ['/payments', '/payments/order-1', undefined],
    ['/payments/{reference}', '/payments/order-1', { reference: 'order-1' }],
    ['/payments/{reference}', '/payments/a%2Fb', { reference: 'a%2Fb' }],
    ['/payments/{reference}', '/payments/', undefined],
    ['/payments/{reference}', '/payments/order-1/', undefined],
    ['/payments/{reference}', '/payments/order-1/refunds', undefined],
    ['/payments/{reference}/refunds/{id}', '/payments/order-1/refunds/2', { reference: 'order-1', id: '2' }],
    ['/openapi.json', '/openapi.json', {}],
    ['/openapi.json', '/openapi-json', undefined],
  ])('%s finds its parameters in %s', (template, path, parameters) => {
    expect(pathTemplate(template)(path)).toEqual(parameters);
  });
});

describe('the router of the gateway', () => {
  it('finds an operation by method and path, and the methods of a path', () => {
    expect(findOperation('GET', '/merchant-balance')).toEqual({
      operation: 'GET /merchant-balance',
      parameters: {},
    });
    expect(findOperation('POST', '/merchant-balance')).toBeUndefined();
    expect(methodsOf('/merchant-balance')).toEqual(['GET']);
    expect(methodsOf('/nothing')).toEqual([]);
  });

  it('finds the operation of a recorded request, whatever its query', () => {
    expect(operationOf(REQUEST)?.operation).toBe('POST /payments/mobile-money');
    expect(operationOf({ ...REQUEST, path: '/payments/mobile-money' })).toBeUndefined();
    expect(operationOf({ ...REQUEST, method: 'PUT' })).toBeUndefined();
  });
});
