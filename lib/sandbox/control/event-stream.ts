import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type EventLog } from './event-log.js';
import { listenersToDrop } from './unread-limits.js';

const HEARTBEAT_MS = 15_000;

/**
 * Sends every event to its listeners. It drops those that do not read: a client that connects again gets what it
 * missed, or `reset`.
 */
export class EventStream {
  private readonly listeners = new Set<ServerResponse>();

  constructor(private readonly log: EventLog) {
    log.follow((text) => {
      for (const listener of this.listeners) listener.write(text);
      this.dropUnread();
    });
  }

  /** Sends events to one listener, until either side closes the connection. */
  open({ headers }: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    response.write(this.log.since(headers['last-event-id']?.toString()));
    this.listeners.add(response);
    this.dropUnread();
    const heartbeat = setInterval(() => {
      response.write(': still here\n\n');
    }, HEARTBEAT_MS);
    heartbeat.unref();
    response.on('close', () => {
      clearInterval(heartbeat);
      this.listeners.delete(response);
    });
  }

  private dropUnread(): void {
    const unread = new Map([...this.listeners].map((listener) => [listener, listener.writableLength]));
    for (const listener of listenersToDrop(unread)) {
      this.listeners.delete(listener);
      listener.destroy();
    }
  }
}
