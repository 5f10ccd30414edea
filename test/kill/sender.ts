import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { paymentEvent, signWebhook } from 'nestjs-payments/testing';
import { type Fleet } from './fleet.js';
import { now } from './history.js';
import { type Outcome } from './plan.js';
import { SCHEME, SECRET } from './replica-settings.js';

const AGAIN_AFTER_MS = 100;
/** Far longer than all troubles together may keep one delivery away. */
const GIVES_UP_AFTER_MS = 400_000;
/**
 * At first shorter than a replica pauses, so that others receive its deliveries and take over; then longer and
 * longer, or on a slow machine nothing would ever be answered in time.
 */
const ANSWERED_WITHIN_MS = 2_000;
const LONGEST_WAIT_MS = 30_000;
const TRIES_OF_ONE_LENGTH = 3;

/** What is posted to a replica. */
interface Message {
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends to the replicas what the gateway and an operator send, again until it is answered 200. */
export class Sender {
  private readonly agent = new Agent({ keepAlive: true });
  private closed = false;

  constructor(private readonly fleet: Fleet) {}

  /**
   * Delivers outcomes of one reference at the same time, over all replicas.
   *
   * @returns Whether each was answered 200 in the end.
   */
  async deliver(reference: string, outcomes: readonly Outcome[]): Promise<boolean> {
    const deliveries = outcomes.map((outcome, place) => {
      const event = paymentEvent(`payment.${outcome}`, { reference });
      const body = JSON.stringify(event);
      return this.retryWrite(place, () => ({
        path: '/webhooks/payments',
        body,
        headers: {
          'content-type': 'application/json',
          ...signWebhook({ scheme: SCHEME, secret: SECRET, body }),
        },
      }));
    });
    return (await Promise.all(deliveries)).every(Boolean);
  }

  /** Has a replica do what an operator wants. False: it was never answered 200. */
  operate(path: string, place: number): Promise<boolean> {
    return this.retryWrite(place, () => ({ path: `/operator/${path}`, body: '', headers: {} }));
  }

  close(): void {
    this.closed = true;
    this.agent.destroy();
  }

  /** False: it was never answered 200. */
  private async retryWrite(first: number, message: () => Message): Promise<boolean> {
    const giveUpAt = now() + GIVES_UP_AFTER_MS;
    for (let place = first; now() < giveUpAt && !this.closed; place += 1) {
      const port = this.fleet.portOf(place % this.fleet.size);
      const tries = place - first;
      const waitMs = ANSWERED_WITHIN_MS * (1 + Math.floor(tries / TRIES_OF_ONE_LENGTH));
      if (port !== undefined && (await this.post(port, message(), Math.min(waitMs, LONGEST_WAIT_MS))) === 200)
        return true;
      await pause(AGAIN_AFTER_MS);
    }
    return false;
  }

  /** The status of the answer; 0 if none came. */
  private post(port: number, { path, body, headers }: Message, waitMs: number): Promise<number> {
    return new Promise((resolve) => {
      const outgoing = request(
        { host: '127.0.0.1', port, path, method: 'POST', headers, agent: this.agent },
        (response) => {
          response.resume();
          response.once('close', () => {
            resolve(response.complete ? (response.statusCode ?? 0) : 0);
          });
        },
      );
      outgoing.setTimeout(waitMs, () => outgoing.destroy());
      outgoing.once('error', () => {
        resolve(0);
      });
      outgoing.end(body);
    });
  }
}
