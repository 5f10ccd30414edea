import { afterEach, describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { Agent as HttpAgent, type IncomingMessage, type request, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { join } from 'node:path';
import axios, { type AxiosAdapter } from 'axios';
import { GatewayPlaces, NOT_SENT, OK, UNKNOWN } from '../../support/gateway-places.js';

const pem = (name: string): Buffer => readFileSync(join('test', 'support', 'tls', `${name}.pem`));
const LOOPBACK = { cert: pem('loopback.cert'), key: pem('loopback.key') };
const STRANGER = { cert: pem('stranger.cert'), key: pem('stranger.key') };
const TRUSTING = new HttpsAgent({ ca: LOOPBACK.cert });

/** Sends through a proxy as axios 1.16.0 does. */
function withoutTunnel(port: string): AxiosAdapter {
  const send = axios.getAdapter('http');
  return (config) => {
    const below = config.transport as { readonly request: typeof request };
    const askProxy = (options: RequestOptions, onResponse: (response: IncomingMessage) => void) => {
      const path = `https://${options.hostname}${options.path}`;
      const way = { protocol: 'http:', hostname: '127.0.0.1', host: '127.0.0.1', port, path };
      return below.request({ ...options, ...way }, onResponse);
    };
    return send({ ...config, transport: { request: askProxy } });
  };
}

const places = new GatewayPlaces();

afterEach(() => places.close());

describe("an application's own agent", () => {
  it('that reaches the gateway', async () => {
    expect(await places.pay(await places.plain(), { httpAgent: new HttpAgent({ keepAlive: true }) })).toEqual(
      OK,
    );
    expect(await places.pay(await places.secured(LOOPBACK), { httpsAgent: TRUSTING })).toEqual(OK);
  });

  it('never gets a payment whose key an interceptor changed', async () => {
    const changed = ['PaymentsConfigError', false, ['not-sent']];
    expect(await places.pay(await places.plain(), { httpAgent: new HttpAgent() }, 'another-key')).toEqual(
      changed,
    );
    expect(places.requests).toBe(0);
  });

  it('whose connection is refused has sent nothing', async () => {
    const address = `127.0.0.1:${await places.closedPort()}/api/v1`;
    expect(await places.pay(`http://${address}`, { httpAgent: new HttpAgent() })).toEqual(NOT_SENT);
    expect(await places.pay(`https://${address}`, { httpsAgent: TRUSTING })).toEqual(NOT_SENT);
  });

  it('that does not trust the certificate has sent nothing', async () => {
    expect(await places.pay(await places.secured(STRANGER), { httpsAgent: TRUSTING })).toEqual(NOT_SENT);
    expect(places.requests).toBe(0);
  });

  it('whose connection breaks after the request leaves the payment unknown, and sends it once', async () => {
    expect(await places.pay(await places.plain(places.breakOff), { httpAgent: new HttpAgent() })).toEqual(
      UNKNOWN,
    );
    expect(
      await places.pay(await places.secured(LOOPBACK, places.breakOff), { httpsAgent: TRUSTING }),
    ).toEqual(UNKNOWN);
    expect(places.requests).toBe(2);
  });
});

describe('a proxy', () => {
  const proxy = (port: number) => ({ proxy: { protocol: 'http', host: '127.0.0.1', port } });

  it('that hands the request on', async () => {
    const { port } = new URL(await places.plain());
    expect(await places.pay('http://localhost:1/api/v1', proxy(Number(port)))).toEqual(OK);
  });

  it('that opens a tunnel, and whose tunnel breaks after the request', async () => {
    const tunnel = { ...proxy(await places.tunnel()), httpsAgent: TRUSTING };
    expect(await places.pay(await places.secured(LOOPBACK), tunnel)).toEqual(OK);
    expect(await places.pay(await places.secured(LOOPBACK, places.breakOff), tunnel)).toEqual(UNKNOWN);
  });

  it('that an axios asks to hand an https request on, without a tunnel, sees nothing', async () => {
    const { port } = new URL(await places.plain());
    // Only because such an axios is an adapter of the application here.
    expect(await places.pay('https://gateway.example/api/v1', { adapter: withoutTunnel(port) })).toEqual(
      UNKNOWN,
    );
    expect(places.requests).toBe(0);
  });

  it('that nobody runs has sent nothing', async () => {
    const port = await places.closedPort();
    expect(await places.pay(await places.plain(), proxy(port))).toEqual(NOT_SENT);
    expect(
      await places.pay(await places.secured(LOOPBACK), { ...proxy(port), httpsAgent: TRUSTING }),
    ).toEqual(NOT_SENT);
    expect(places.requests).toBe(0);
  });

  it('that leads to a certificate that is not trusted has sent nothing', async () => {
    const tunnel = { ...proxy(await places.tunnel()), httpsAgent: TRUSTING };
    expect(await places.pay(await places.secured(STRANGER), tunnel)).toEqual(NOT_SENT);
    expect(places.requests).toBe(0);
  });
});
