import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type * as operationName from '../../../../lib/sandbox/core/operation-name.js';
import { type GatewayOperation } from '../../../../lib/sandbox/core/operation.js';
import type * as operations from '../../../../lib/sandbox/core/operations.js';
import type * as router from '../../../../lib/sandbox/core/router.js';
import type * as sandboxEntry from '../../../../lib/sandbox/index.js';
import { callerOf, COLLECTION } from '../../../support/gateway-caller.js';

const NAMES_MODULE = '../../../../lib/sandbox/core/operation-name.js';
const OPERATIONS_MODULE = '../../../../lib/sandbox/core/operations.js';
const STATUS = 'GET /receipts/{reference}' as operationName.SandboxOperation;
const NEWEST = 'GET /receipts/newest';

/** The row of an eighth operation. */
const statusRow: GatewayOperation = {
  success: ['SUCCESS', 'Payment retrieved successfully.'],
  perform: ({ merchant, parameters }) => {
    const payment = merchant.collections.get(parameters['reference'] ?? '');
    return payment
      ? { data: { status: payment.status } }
      : { status: 404, body: { success: false, code: 'NOT_FOUND', message: 'There is no such payment.' } };
  },
};

describe('an operation with a path parameter', () => {
  let entry: typeof sandboxEntry;
  let routes: typeof router;
  let sandbox: sandboxEntry.PaymentsSandbox;

  beforeAll(async () => {
    vi.resetModules();
    vi.doMock(NAMES_MODULE, async (original) => {
      const { SANDBOX_OPERATIONS } = await original<typeof operationName>();
      return { SANDBOX_OPERATIONS: [STATUS, NEWEST, ...SANDBOX_OPERATIONS] };
    });
    vi.doMock(OPERATIONS_MODULE, async (original) => {
      const actual = await original<typeof operations>();
      return { ...actual, OPERATIONS: { [STATUS]: statusRow, [NEWEST]: statusRow, ...actual.OPERATIONS } };
    });
    entry = await import('../../../../lib/sandbox/index.js');
    routes = await import('../../../../lib/sandbox/core/router.js');
  });

  afterAll(() => {
    vi.doUnmock(NAMES_MODULE);
    vi.doUnmock(OPERATIONS_MODULE);
    vi.resetModules();
  });

  beforeEach(async () => {
    sandbox = await entry.PaymentsSandbox.start({ clock: 'manual', seed: 1 });
  });

  afterEach(() => sandbox.stop());

  const read = (reference: string) => callerOf(sandbox).get(`/receipts/${encodeURIComponent(reference)}`);

  it('gets the parameter decoded', async () => {
    await callerOf(sandbox).collect({ reference: 'order/1 ü' });
    expect(await read('order/1 ü')).toMatchObject({ status: 200, body: { data: { status: 'pending' } } });
    expect(await read('order-2')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  it('is found by faults, matchers and the timeline under the reference in its path', async () => {
    const { toHaveReceived } = entry.sandboxMatchers;
    sandbox.next(STATUS, { reference: 'order-2' }).status(503);
    expect([(await read('order-1')).status, (await read('order-2')).status]).toEqual([404, 503]);
    const context = { equals: Object.is };
    expect(toHaveReceived.call(context, sandbox, STATUS, { times: 2 }).pass).toBe(true);
    expect(toHaveReceived.call(context, sandbox, STATUS, { times: 1 }).pass).toBe(false);
    expect(sandbox.explain('order-2')).toMatch(/GET \/receipts\/order-2, key \S+ -> 503 \[fault status\]/);
    expect(sandbox.explain('order-1')).toMatch(/GET \/receipts\/order-1, key \S+ -> 404 NOT_FOUND/);
  });

  it('comes after an operation whose path has the same text', () => {
    expect(routes.findOperation('GET', '/receipts/newest')?.operation).toBe('GET /receipts/newest');
    expect(routes.findOperation('GET', '/receipts/order-1')).toEqual({
      operation: STATUS,
      parameters: { reference: 'order-1' },
    });
    expect(routes.methodsOf('/receipts/newest')).toEqual(['GET']);
    expect(routes.methodsOf('/receipts/order-1')).toEqual(['GET']);
  });

  it('is not found under a path that is badly encoded, or under another method', async () => {
    const gateway = callerOf(sandbox);
    expect(await gateway.get('/receipts/%zz')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await gateway.post('/receipts/order-1', COLLECTION)).toMatchObject({
      status: 405,
      body: { message: expect.stringContaining('understands GET, not POST') as string },
    });
  });
});
