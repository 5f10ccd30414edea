import { expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { type RequestOptions } from 'node:http';
import { Agent, createServer } from 'node:https';
import { type AddressInfo } from 'node:net';
import { endWatch, watchSending } from '../../../../lib/gateway/http/send-watch.js';
import { sentAs, watchedTransport } from '../../../../lib/gateway/http/watched-transport.js';
import { type OutgoingRequest } from '../../../../lib/gateway/http/http-transport.js';
import { startMisbehavingGateway, text } from '../../../support/misbehaving-gateway.js';

const PAY = '/api/v1/disbursements/bank';
const OPTIONS: RequestOptions = {
  protocol: 'https:',
  hostname: 'gateway.example',
  port: '',
  path: PAY,
  method: 'POST',
  headers: { 'Idempotency-Key': 'its-key' },
};

const asked = (origin: string): OutgoingRequest => ({
  method: 'POST',
  origin,
  path: PAY,
  headers: { 'Idempotency-Key': 'its-key' },
  body: '{}',
});

it.each<[where: string, options: RequestOptions, origin: string]>([
  ['a host', {}, 'https://gateway.example'],
  ['a port', { port: '8443' }, 'https://gateway.example:8443'],
  ['the usual port, written out', { port: 443 }, 'https://gateway.example'],
  ['an address of IPv6', { hostname: '::1', port: '8443' }, 'https://[::1]:8443'],
  [
    'a proxy that hands it on',
    { protocol: 'http:', hostname: 'proxy.example', port: 3128, path: `http://gateway.example${PAY}` },
    'http://gateway.example',
  ],
])('sees where a request goes: to %s', (_, options, origin) => {
  expect(sentAs({ ...OPTIONS, ...options }, asked(origin))).toEqual(asked(origin));
  expect(sentAs({ ...OPTIONS, ...options }, asked('https://elsewhere.example'))).toEqual(asked(origin));
});

it('takes a socket of this machine for the host that was asked for', () => {
  const { hostname: _, port: __, ...options } = OPTIONS;
  const origin = 'https://gateway.example';
  expect(sentAs({ ...options, socketPath: '/run/gateway.sock' }, asked(origin))).toEqual(asked(origin));
});

it('sees a path that only looks like another host', () => {
  const { origin, path } = sentAs({ ...OPTIONS, path: '//elsewhere.example/pay' }, asked(''));
  expect([origin, path]).toEqual(['https://gateway.example', '//elsewhere.example/pay']);
});

it('sends a body that came with the end of the request, as axios 1.12 passes it', async () => {
  const gateway = await startMisbehavingGateway();
  gateway.answer(text('{}'));
  const { protocol, hostname, port, origin } = new URL(gateway.baseUrl);
  const headers = { 'Idempotency-Key': 'its-key', 'Content-Length': '2' };
  const watch = watchSending(new AbortController().signal, { ...asked(origin), headers });
  const request = watchedTransport(watch).request(
    { ...OPTIONS, protocol, hostname, port, headers },
    (response) => response.resume(),
  );
  const closed = new Promise((resolve, reject) => request.once('close', resolve).once('error', reject));
  request.end(Buffer.from('{}'));
  await closed;
  expect(gateway.seen).toMatchObject([{ method: 'POST', body: '{}' }]);
  await gateway.close();
});

it.each([
  ['leaves nothing of a request whose try ended while it waited for its connection', 'over', 0],
  ['leaves nothing of a request whose time was up by the date when its connection was there', 'late', 0],
  ['sends a request whose try is under way', 'under way', 1],
])('%s', async (_, is, sends) => {
  const gateway = await startMisbehavingGateway();
  gateway.answer(text('{}'));
  const { protocol, hostname, port, origin } = new URL(gateway.baseUrl);
  const limits = { deadline: Infinity, wallDeadline: is === 'late' ? 0 : Infinity };
  const watch = watchSending(new AbortController().signal, asked(origin), undefined, limits);
  const request = watchedTransport(watch).request({ ...OPTIONS, protocol, hostname, port }, (response) => {
    response.resume();
  });
  const errors: unknown[] = [];
  request.on('error', (error) => errors.push(error));
  const closed = new Promise((resolve) => request.once('close', resolve));
  request.write('{}');
  request.end();
  if (is === 'over') endWatch(watch);
  await closed;
  const message = is === 'over' ? 'given up before sending' : 'too late to be sent';
  expect(errors).toMatchObject(sends === 0 ? [{ message }] : []);
  expect([watch.taken, watch.sends, gateway.seen.length]).toEqual([1, sends, sends]);
  await gateway.close();
});

it.each([
  ['a payment', 'http:', asked('https://gateway.example')],
  ['a read', 'http:', { ...asked('https://gateway.example'), method: 'GET', headers: {} }],
  ['a payment, over a secured way to the proxy', 'https:', asked('https://gateway.example')],
] as const)(
  'opens no connection to a proxy that would read an https request: %s',
  async (_, protocol, request) => {
    const proxy = await startMisbehavingGateway();
    proxy.answer(text('{}'));
    const { hostname, port } = new URL(proxy.baseUrl);
    const watch = watchSending(new AbortController().signal, request);
    // As axios 1.16.0 calls it, which knows no tunnel.
    const path = `https://gateway.example${PAY}`;
    const { method } = request;
    const headers = { ...request.headers, host: 'gateway.example' };
    const agent = new Agent({ rejectUnauthorized: false });
    const way = protocol === 'https:' ? { agent } : { agent: undefined };
    const sent = watchedTransport(watch).request(
      { protocol, hostname, port, path, method, headers, ...way },
      (response) => response.resume(),
    );
    const sockets: unknown[] = [];
    sent.on('socket', (socket) => sockets.push(socket));
    const ended = new Promise((resolve) => sent.once('error', resolve).once('close', resolve));
    sent.end('{}');
    expect(await ended).toMatchObject({ code: 'PROXY_WITHOUT_TUNNEL' });
    expect([watch.taken, watch.sends, sockets, proxy.connections()]).toEqual([1, 0, [], 0]);
    await proxy.close();
  },
);

it('notes the start of each request on a TLS connection that stays open', async () => {
  const tls = (part: string): Buffer => readFileSync(`test/support/tls/loopback.${part}.pem`);
  const server = createServer({ cert: tls('cert'), key: tls('key') }, (request, response) => {
    request.resume().once('end', () => response.end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: tls('cert') });
  const options = { ...OPTIONS, hostname: '127.0.0.1', port, agent };
  const send = async (): Promise<readonly unknown[]> => {
    const watch = watchSending(new AbortController().signal, asked(`https://127.0.0.1:${port}`));
    const request = watchedTransport(watch).request({ ...options }, (response) => {
      response.resume();
    });
    const closed = new Promise((resolve, reject) => request.once('close', resolve).once('error', reject));
    request.write('{}');
    request.end();
    await closed;
    return [watch.taken, watch.sends, watch.answer !== undefined, request.reusedSocket];
  };
  expect(await send()).toEqual([1, 1, true, false]);
  expect(await send()).toEqual([1, 1, true, true]);
  agent.destroy();
  await new Promise((resolve) => server.close(resolve));
});
