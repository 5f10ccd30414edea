import { expect, it } from 'vitest';
import { composeSandbox } from '../../../../../lib/sandbox/compose.js';
import { deliveryHandlers } from '../../../../../lib/sandbox/control/handlers/delivery-handlers.js';
import { type ControlCall } from '../../../../../lib/sandbox/control/control-operations.js';
import { resolveSandboxOptions } from '../../../../../lib/sandbox/resolve-sandbox-options.js';

const call = (subject: string, body: ControlCall['body'] = {}): ControlCall => ({
  subject,
  body,
  query: new Map(),
});
const start = () => deliveryHandlers(composeSandbox(resolveSandboxOptions({ clock: 'manual', seed: 1 })));

it.each([
  [undefined, 'demo'],
  ['shop', 'shop'],
])('triggers an event of the merchant %s for %s', async (merchant, expected) => {
  const handlers = start();
  const body = { event: 'payment.failed', merchant, data: { reference: 'order-1' } };
  const { items } = await handlers.triggerEvent(call('', body));
  expect(items).toMatchObject([
    { merchant: expected, event: 'payment.failed', reference: 'order-1', state: 'skipped', url: null },
  ]);
  const { id = '' } = items[0] ?? {};
  expect(handlers.readDelivery(call(id))).toEqual(items[0]);
});

it('replays no event that no endpoint takes', async () => {
  const handlers = start();
  const { items } = await handlers.triggerEvent(call('', { event: 'payment.failed' }));
  await expect(handlers.replayDelivery(call(items[0]?.id ?? ''))).rejects.toThrow(
    'No webhook endpoint takes this event',
  );
});

it('says where the deliveries are listed instead of an unknown one', () => {
  expect(() => start().readDelivery(call('other'))).toThrow(
    'There is no delivery other: GET /deliveries lists them.',
  );
});
