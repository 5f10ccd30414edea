import { type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PromptCloseAdapter as Quickstart } from '../../../sample/01-quickstart/src/prompt-close.adapter.js';
import { PromptCloseAdapter as ShopCheckout } from '../../../sample/02-shop-checkout/src/prompt-close.adapter.js';
import { eventually } from '../../support/eventually.js';

const HEAD = 'POST /orders HTTP/1.1\r\nHost: shop\r\nContent-Length: 100\r\n';
const GRACE_MS = 65_000;

describe.each([
  ['the quickstart', Quickstart],
  ['the shop checkout', ShopCheckout],
])('the stop of %s', (_, Adapter) => {
  let adapter: InstanceType<typeof Adapter>;
  let stranger: Socket;
  let received: () => number;

  beforeEach(async () => {
    adapter = new Adapter();
    adapter.initHttpServer({});
    adapter.post('/orders', () => undefined);
    const server = adapter.getHttpServer() as Server;
    const connected = new Promise<Socket>((resolve) => server.once('connection', resolve));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stranger = connect((server.address() as AddressInfo).port, '127.0.0.1');
    stranger.on('error', () => undefined);
    const socket = await connected;
    received = () => socket.bytesRead;
  });
  afterEach(() => {
    vi.useRealTimers();
    stranger.destroy();
  });

  it.each([
    ['head', HEAD],
    ['body', `${HEAD}\r\nhalf`],
  ])('is held open no longer than the grace period by half a %s', async (_half, sent) => {
    stranger.write(sent);
    await eventually(() => {
      expect(received()).toBe(sent.length);
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let isClosed = false;
    const closed = Promise.resolve(adapter.close()).then(() => (isClosed = true));
    vi.advanceTimersByTime(GRACE_MS - 1);
    await new Promise(setImmediate);
    expect(isClosed).toBe(false);
    vi.advanceTimersByTime(1);
    await closed;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves no timer behind if nobody holds it open', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await adapter.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
