import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import net from 'node:net';
import { type HttpModuleOptions, HttpService } from '@nestjs/axios';
import { describe, expect, it, vi } from 'vitest';
import { accountTransport } from '../../../../lib/gateway/http/account-transport.js';
import {
  assertNode,
  GatewayConnections,
  ownAxios,
} from '../../../../lib/gateway/http/gateway-connections.js';
import { PaymentsConfigError } from '../../../../lib/errors/payments-errors.js';

describe('GatewayConnections', () => {
  it.each([{}, { proxy: false }, { decompress: false, headers: { 'x-tenant': '7' } }] as const)(
    "send through the package's own adapter and no proxy with the http options %j",
    async (http) => {
      const connections = new GatewayConnections({ http, timeoutMs: 1_000 });
      const { adapter, proxy } = connections.httpModuleOptions();
      expect(adapter).toBeInstanceOf(Function);
      expect(proxy).toBe(false);
      await connections.onApplicationShutdown();
    },
  );

  it.each<HttpModuleOptions>([
    { family: 6 },
    { auth: { username: 'u', password: 'p' } },
    { lookup: () => undefined },
    { socketPath: '/run/gateway.sock' },
    { decompress: true },
    { insecureHTTPParser: true },
    { maxContentLength: 1_000 },
    { maxRate: 1_000 },
  ])("send through axios' own adapter with the http options %j, which nothing else obeys", async (http) => {
    const connections = new GatewayConnections({ http, timeoutMs: 1_000 });
    expect(connections.httpModuleOptions()).not.toHaveProperty('adapter');
    await connections.onApplicationShutdown();
  });

  it('take no proxy out of the environment if theirs is left undefined', async () => {
    // As JavaScript writes it, and TypeScript without exactOptionalPropertyTypes.
    const http = { proxy: undefined, httpAgent: new Agent() } as object as HttpModuleOptions;
    const connections = new GatewayConnections({ http, timeoutMs: 1_000 });
    expect(connections.httpModuleOptions()).toMatchObject({
      proxy: false,
      httpAgent: http.httpAgent as Agent,
    });
    await connections.onApplicationShutdown();
  });

  it.each([
    [30_000, 2_500],
    [1_000, 250],
    [1, 1],
  ])('within %i ms give each address of a host %i ms to connect', async (timeoutMs, attemptMs) => {
    // Node tries the addresses itself.
    const connect = vi.spyOn(net, 'connect').mockImplementation(() => {
      throw new Error('no network');
    });
    const connections = new GatewayConnections({ http: {}, timeoutMs });
    const http = new HttpService(ownAxios(connections.httpModuleOptions()));
    const request = { method: 'GET', origin: 'http://gateway.example', path: '/', headers: {} } as const;
    const { answer } = accountTransport(http).send({ ...request, body: undefined });
    await expect(answer).rejects.toThrow('no network');
    expect(connect).toHaveBeenCalledWith(
      expect.objectContaining({ autoSelectFamilyAttemptTimeout: attemptMs }),
    );
    connect.mockRestore();
    await connections.onApplicationShutdown();
  });

  it('may be closed twice, at once and later', async () => {
    const connections = new GatewayConnections({ http: {}, timeoutMs: 1_000 });
    await Promise.all([connections.onApplicationShutdown(), connections.onApplicationShutdown()]);
    await expect(connections.onApplicationShutdown()).resolves.not.toThrow();
  });
});

it('Bun is refused before the first payment, and Node is not.', () => {
  const refusal = (): void => {
    assertNode({ ...process.versions, bun: '1.4.5' });
  };
  expect(refusal).toThrow(PaymentsConfigError);
  expect(refusal).toThrow('Start the application with Node');
  expect(() => {
    assertNode(process.versions);
  }).not.toThrow();
});

describe('undici', () => {
  const source = readFileSync('lib/gateway/http/gateway-connections.ts', 'utf8');
  const [, name = ''] = /^import (?!\{ type ).+ from '(undici[^']*)'/m.exec(source) ?? [];
  // In a process of its own: the specs of a worker share theirs.
  const seen = JSON.parse(
    execFileSync(process.execPath, [
      '--eval',
      `require(${JSON.stringify(name)});
      const files = Object.keys(require.cache).length;
      const belowFetch = Object.getOwnPropertySymbols(globalThis).map(String).filter((key) => key.includes('undici'));
      console.log(JSON.stringify({ files, belowFetch }));`,
    ]).toString(),
  ) as { files: number; belowFetch: string[] };

  it('is loaded in part: the boot reads 23 of its 110 files', () => {
    expect(seen.files).toBeGreaterThan(1);
    expect(seen.files).toBeLessThanOrEqual(23);
  });

  it("leaves the dispatcher of the application's own fetch as it is", () => {
    expect(seen.belowFetch).toEqual([]);
  });
});
