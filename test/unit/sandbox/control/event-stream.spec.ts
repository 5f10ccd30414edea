import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SandboxActivity } from '../../../../lib/sandbox/control/activity.js';
import { EventLog } from '../../../../lib/sandbox/control/event-log.js';
import { EventStream } from '../../../../lib/sandbox/control/event-stream.js';
import { EventBus } from '../../../../lib/sandbox/core/event-bus.js';

const MB = 1_048_576;
const MESSAGE = 'x'.repeat(100_000);

describe('listeners whose sockets nobody reads', () => {
  let activity: EventBus<SandboxActivity>;
  let responses: ServerResponse[];
  let server: Server;
  let sockets: Socket[];

  beforeEach(async () => {
    activity = new EventBus();
    responses = [];
    sockets = [];
    const stream = new EventStream(new EventLog(activity));
    server = createServer((request, response) => {
      stream.open(request, response);
      responses.push(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    sockets.forEach((socket) => socket.destroy());
    server.closeAllConnections();
    await once(server.close(), 'close');
  });

  /** Reads the head of the answer, then nothing more. */
  async function listen(): Promise<Socket> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    socket.write('GET /events HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
    await once(socket, 'data');
    return socket.pause();
  }

  async function emit(messages: number, each = () => Promise.resolve()): Promise<void> {
    for (let sent = 0; sent < messages; sent += 1) {
      activity.emit('payment', { reference: MESSAGE } as SandboxActivity['payment']);
      await each();
    }
  }

  const unreadOf = ({ destroyed, writableLength }: ServerResponse): number =>
    destroyed ? 0 : writableLength;

  it('are dropped at four megabytes, and those who read continue', async () => {
    await listen();
    const reader = await listen();
    let [read, most, expected] = [0, 0, 0];
    reader.on('data', (chunk: Buffer) => (read += chunk.length));
    reader.resume();
    await emit(300, async () => {
      most = Math.max(most, unreadOf(responses[0]!));
      expected += MESSAGE.length;
      while (read < expected) await once(reader, 'data');
    });

    expect(most).toBeGreaterThan(3 * MB);
    expect(most).toBeLessThanOrEqual(4 * MB);
    expect(responses.map(({ destroyed }) => destroyed)).toEqual([true, false]);
  });

  it('keep sixteen megabytes together, however many there are', async () => {
    for (let count = 0; count < 12; count += 1) await listen();
    let most = 0;
    await emit(200, async () => {
      most = Math.max(
        most,
        responses.reduce((sum, response) => sum + unreadOf(response), 0),
      );
      await new Promise((resolve) => setImmediate(resolve));
    });

    expect(most).toBeGreaterThan(15 * MB);
    expect(most).toBeLessThanOrEqual(16 * MB);
  });

  it('are forgotten when they end', async () => {
    const socket = await listen();
    socket.destroy();
    await once(responses[0]!, 'close');
    await emit(1);
    expect(responses[0]!.writableLength).toBe(0);
  });
});
