import { describe, expect, it } from '@jest/globals';
import { GatewayConnections } from '../../../lib/transport/gateway-connections.js';

describe('GatewayConnections', () => {
  it('may be closed twice, at once and later', async () => {
    const connections = new GatewayConnections({ http: {}, timeoutMs: 1_000 });
    await Promise.all([connections.onApplicationShutdown(), connections.onApplicationShutdown()]);
    await expect(connections.onApplicationShutdown()).resolves.not.toThrow();
  });
});
