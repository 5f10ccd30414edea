import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { listenTo } from '../../../support/event-stream.js';
import { callerOf } from '../../../support/gateway-caller.js';
import { startSandbox } from '../../../support/sandbox.js';

describe("the emulator's live stream", () => {
  let sandbox: PaymentsSandbox;
  let gateway: ReturnType<typeof callerOf>;
  let events: string;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual' });
    gateway = callerOf(sandbox);
    events = `${sandbox.url}/_sandbox/v1/events`;
  });

  it('reports every change as it happens, until the sandbox stops', async () => {
    const stream = await listenTo(events);
    expect(stream.contentType).toContain('text/event-stream');
    await gateway.collect();
    await gateway.payToBank();
    await sandbox.customer('255712345678').approve('order-1');
    await sandbox.clock.advance('1s');
    await sandbox.reset();
    const names = (await stream.until('reset')).map(({ name }) => name);
    await sandbox.stop();

    expect(names).toEqual([
      'balance', // the merchant's first call: the page shows its wallet from now on
      'payment',
      'request',
      'payout',
      'balance',
      'request',
      'payment',
      'payment',
      'balance',
      'delivery',
      'clock',
      'reset',
    ]);
    await expect(stream.until('never')).rejects.toThrow('terminated');
  });

  it('reports a fault as finally planned, and each time it applies', async () => {
    const stream = await listenTo(events);
    sandbox.next('GET /merchant-balance').html(502).times(2);
    const [planned] = await stream.until('faults');
    await fetch(`${sandbox.baseUrl}/merchant-balance`);
    const struck = (await stream.until('faults')).at(-1);

    expect(planned!.data).toMatchObject({ items: [{ kind: 'html', left: 2 }] });
    expect(struck!.data).toMatchObject({ items: [{ kind: 'html', left: 1 }] });
  });

  it('continues after the last message that a listener had', async () => {
    const stream = await listenTo(events);
    await gateway.collect({ reference: 'order-1' });
    const seen = await stream.until('request');
    stream.close();
    await gateway.collect({ reference: 'order-2' });

    const again = await listenTo(events, { 'last-event-id': seen.at(-1)!.id! });
    const missed = await again.until('request');
    again.close();
    expect(missed.map(({ name }) => name)).toEqual(['payment', 'request']);
    expect(missed[0]!.data).toMatchObject({ reference: 'order-2' });
  });

  it('names its place to a new listener, which then misses nothing even if nothing had happened', async () => {
    const { socket, id } = await stuckListener(events);
    socket.destroy();
    await gateway.collect();
    const again = await listenTo(events, { 'last-event-id': id });
    const missed = await again.until('request');
    again.close();
    expect(missed.map(({ name }) => name)).toEqual(['balance', 'payment', 'request']);
  });

  it.each([['of another run'], ['0'], ['']])(
    'says that messages were missed after an id that it does not know: %s',
    async (id) => {
      await gateway.collect();
      const stream = await listenTo(events, { 'last-event-id': id });
      const [first] = await stream.until('reset');
      stream.close();
      expect(first).toEqual({ id: expect.any(String) as unknown, name: 'reset', data: {} });
    },
  );

  it('drops a listener that does not read; when it comes again, it learns that it missed messages', async () => {
    const { socket, id } = await stuckListener(events);
    const metadata = { note: 'x'.repeat(60_000) };
    for (let call = 0; call < 200; call += 1) await gateway.collect({ reference: `order-${call}`, metadata });
    socket.resume();
    await once(socket, 'close');

    const again = await listenTo(events, { 'last-event-id': id });
    const [first] = await again.until('reset');
    again.close();
    expect(first!.name).toBe('reset');
  });

  it('keeps two megabytes of messages, not more', async () => {
    const { socket, id } = await stuckListener(events);
    socket.destroy();
    const metadata = { note: 'x'.repeat(60_000) };
    for (let call = 0; call < 40; call += 1) await gateway.collect({ reference: `order-${call}`, metadata });
    const late = await listenTo(events, { 'last-event-id': id });
    const [first] = await late.until('reset');
    late.close();
    expect(first!.name).toBe('reset');
  });

  it('keeps five hundred messages, not more', async () => {
    const stream = await listenTo(events);
    await gateway.get('/merchant-balance');
    const [oldest] = await stream.until('request');
    stream.close();
    for (let call = 0; call < 500; call += 1) await gateway.get('/merchant-balance');

    const late = await listenTo(events, { 'last-event-id': oldest!.id! });
    const [first] = await late.until('reset');
    late.close();
    expect(first!.name).toBe('reset');
  });
});

/** A listener that has read the head of the stream, and nothing more. */
async function stuckListener(url: string): Promise<{ readonly socket: Socket; readonly id: string }> {
  const { port, pathname } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
  const [head] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  return { socket, id: /^id: (.+)$/m.exec(head.toString())![1]! };
}
