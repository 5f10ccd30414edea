import { randomBytes } from 'node:crypto';
import { EventBus } from '../core/event-bus.js';
import { type SandboxActivity } from './activity.js';

/** One message of the live stream. */
export interface StreamMessage {
  readonly id: string;
  readonly name: string;
  readonly value: unknown;
}

const KEPT = 500;
const TOPICS = ['payment', 'payout', 'delivery', 'balance', 'faults', 'clock', 'reset'] as const;

/** Keeps the newest messages of the live stream, for a listener that reconnects. */
export class EventLog {
  private messages: StreamMessage[] = [];
  private readonly bus = new EventBus<{ readonly message: StreamMessage }>();
  private count = 0;
  /** Distinguishes ids of this run from those of another run. */
  private readonly run = randomBytes(4).toString('hex');

  constructor(activity: EventBus<SandboxActivity>) {
    for (const topic of TOPICS) {
      activity.on(topic, (value) => {
        this.add(topic, value);
      });
    }
    activity.on('exchange', ({ request }) => {
      this.add('request', request);
    });
  }

  /** Calls a listener with each new message. Returns a function that removes it. */
  follow(listener: (message: StreamMessage) => void): () => void {
    return this.bus.on('message', listener);
  }

  /** The messages after this one; undefined if it was dropped or comes from another run. */
  since(id: string): readonly StreamMessage[] | undefined {
    const index = this.messages.findIndex((message) => message.id === id);
    return index === -1 ? undefined : this.messages.slice(index + 1);
  }

  private add(name: string, value: unknown): void {
    this.count += 1;
    const message = { id: `${this.run}-${this.count}`, name, value };
    this.messages.push(message);
    if (this.messages.length > KEPT) this.messages.shift();
    this.bus.emit('message', message);
  }
}
