import { type ServerResponse } from 'node:http';
import { type ActivityHub } from '../core/activity.js';

const HEARTBEAT_MS = 15_000;
const TOPICS = ['payment', 'payout', 'delivery', 'balance', 'reset'] as const;

/** Tells one listener of everything that happens, until it goes away or the server closes its connection. */
export function streamEvents(hub: ActivityHub, response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.write(': hello\n\n');
  const unsubscribe = TOPICS.map((topic) =>
    hub.on(topic, (value) => {
      response.write(`event: ${topic}\ndata: ${JSON.stringify(value)}\n\n`);
    }),
  );
  const heartbeat = setInterval(() => {
    response.write(': still here\n\n');
  }, HEARTBEAT_MS);
  heartbeat.unref();
  response.on('close', () => {
    clearInterval(heartbeat);
    for (const off of unsubscribe) off();
  });
}
