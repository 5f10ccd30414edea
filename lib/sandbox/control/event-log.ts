import { randomBytes } from 'node:crypto';
import { type EventBus } from '../core/event-bus.js';
import { type SandboxActivity } from './activity.js';

const KEPT = 500;
/** Characters of the kept messages. Less than a listener may leave unread, because a client gets all at once. */
const KEPT_LENGTH = 2 * 1_048_576;
const TOPICS = ['payment', 'payout', 'delivery', 'balance', 'faults', 'clock', 'reset'] as const;
/** Milliseconds after which a browser connects again. */
const HELLO = ': hello\nretry: 1000\n';

/** Writes the events as messages of the live stream, and keeps the newest for a client that connects again. */
export class EventLog {
  private readonly messages: string[] = [];
  private length = 0;
  private count = 0;
  private listener: (text: string) => void = () => undefined;
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

  /** Hands each new message to the listener. */
  follow(listener: (text: string) => void): void {
    this.listener = listener;
  }

  /**
   * What a client reads first: the messages after the one with this id, or `reset` if they were dropped or come from
   * another run.
   *
   * @param id Left out by a client that connects for the first time. It gets an id, so that it misses nothing later.
   */
  since(id: string | undefined): string {
    const here = `id: ${this.run}-${this.count}\n`;
    if (id === undefined) return `${HELLO}${here}\n`;
    const missed = this.missedSince(id);
    return missed === undefined
      ? `${HELLO}\n${here}event: reset\ndata: {}\n\n`
      : `${HELLO}\n${missed.join('')}`;
  }

  private missedSince(id: string): readonly string[] | undefined {
    const [run, number] = id.split('-');
    const missed = run === this.run ? this.count - Number(number) : NaN;
    return Number.isInteger(missed) && missed >= 0 && missed <= this.messages.length
      ? this.messages.slice(this.messages.length - missed)
      : undefined;
  }

  private add(name: string, value: unknown): void {
    this.count += 1;
    const text = `id: ${this.run}-${this.count}\nevent: ${name}\ndata: ${JSON.stringify(value)}\n\n`;
    this.messages.push(text);
    this.length += text.length;
    while (this.messages.length > KEPT || this.length > KEPT_LENGTH) {
      this.length -= this.messages.shift()?.length ?? 0;
    }
    this.listener(text);
  }
}
