import { describe, expect, it } from 'vitest';
import { assertDispatches, GatewayConnections } from '../../../../lib/gateway/http/gateway-connections.js';
import { PaymentsConfigError } from '../../../../lib/errors/payments-errors.js';

describe('GatewayConnections', () => {
  it.each([{}, { proxy: false }, { proxy: false, timeout: 5 }] as const)(
    "send through the package's own adapter and no proxy with the http options %j",
    async (http) => {
      const connections = new GatewayConnections({ http, timeoutMs: 1_000 });
      const { adapter, proxy } = connections.httpModuleOptions();
      expect(adapter).toBeInstanceOf(Function);
      expect(proxy).toBe(false);
      await connections.onApplicationShutdown();
    },
  );

  it('may be closed twice, at once and later', async () => {
    const connections = new GatewayConnections({ http: {}, timeoutMs: 1_000 });
    await Promise.all([connections.onApplicationShutdown(), connections.onApplicationShutdown()]);
    await expect(connections.onApplicationShutdown()).resolves.not.toThrow();
  });
});

it('A runtime whose undici cannot send, such as Bun, is refused before the first payment.', () => {
  const agentOfBun = { close: () => Promise.resolve() };
  expect(() => {
    assertDispatches(agentOfBun);
  }).toThrow(PaymentsConfigError);
  expect(() => {
    assertDispatches(agentOfBun);
  }).toThrow('Start the application with Node');
});
