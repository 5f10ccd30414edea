import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type EventLog } from './event-log.js';

const HEARTBEAT_MS = 15_000;

/** Sends every event to one listener, until either side closes the connection. */
export function streamEvents(log: EventLog, { headers }: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.write(': hello\n\n');
  const write = ({ id, name, value }: { id?: string; name: string; value: unknown }): void => {
    const number = id === undefined ? '' : `id: ${id}\n`;
    response.write(`${number}event: ${name}\ndata: ${JSON.stringify(value)}\n\n`);
  };
  const last = headers['last-event-id'];
  if (typeof last === 'string') {
    const missed = log.since(last);
    if (missed) missed.forEach(write);
    else write({ name: 'reset', value: {} });
  }
  const unfollow = log.follow(write);
  const heartbeat = setInterval(() => {
    response.write(': still here\n\n');
  }, HEARTBEAT_MS);
  heartbeat.unref();
  response.on('close', () => {
    clearInterval(heartbeat);
    unfollow();
  });
}
