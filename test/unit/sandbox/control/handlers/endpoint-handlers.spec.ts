import { expect, it } from 'vitest';
import { composeSandbox } from '../../../../../lib/sandbox/compose.js';
import { endpointHandlers } from '../../../../../lib/sandbox/control/handlers/endpoint-handlers.js';
import { type ControlCall } from '../../../../../lib/sandbox/control/control-operations.js';
import { resolveSandboxOptions } from '../../../../../lib/sandbox/resolve-sandbox-options.js';

const DAY_MS = 86_400_000;

const call = (subject: string, body: ControlCall['body'] = {}): ControlCall => ({
  subject,
  body,
  query: new Map(),
});

function start() {
  const parts = composeSandbox(resolveSandboxOptions({ clock: 'manual', seed: 1 }));
  const handlers = endpointHandlers(parts);
  const add = () => handlers.addEndpoint(call('', { url: 'http://127.0.0.1:9/hook' }));
  return { clock: parts.clock, handlers, add };
}

it('keeps the secret before for a day unless the call names another time', () => {
  const { clock, handlers, add } = start();
  const { id } = add();
  const expiry = () => handlers.readEndpoint(call(id)).secrets.map(({ expires_at }) => expires_at);
  handlers.rotateSecret(call(id));
  expect(expiry()).toEqual([null, new Date(clock.now() + DAY_MS).toISOString()]);
  handlers.rotateSecret(call(id, { overlap: '1h' }));
  expect(expiry()).toEqual([null, new Date(clock.now() + 3_600_000).toISOString()]);
});

it('shows a secret whole only to the call that made it', () => {
  const { handlers, add } = start();
  const { id, secrets } = add();
  const whole = [secrets[0]?.secret, handlers.rotateSecret(call(id)).secrets[0]?.secret];
  for (const secret of whole) expect(secret).toMatch(/^whsec_/);
  const later = [
    handlers.readEndpoint(call(id)),
    handlers.changeEndpoint(call(id, { enabled: false })),
    ...handlers.listEndpoints().items,
    handlers.removeEndpoint(call(id)),
  ];
  for (const shown of later) expect(shown.secrets.map(({ secret }) => secret[0])).toEqual(['…', '…']);
  expect(handlers.listEndpoints().items).toEqual([]);
});

it('says which endpoints there are instead of an unknown one', () => {
  const { handlers, add } = start();
  const read = () => handlers.readEndpoint(call('other'));
  expect(read).toThrow('There is no webhook endpoint other: add one with POST /webhooks/endpoints.');
  add();
  add();
  expect(read).toThrow('There is no webhook endpoint other: write endpoint-1, endpoint-2.');
});
