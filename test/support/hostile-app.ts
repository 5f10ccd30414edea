import { Controller } from '@nestjs/common';
import { expect } from 'vitest';
import { type PaymentsStorage, memoryStorage, hmac, PaymentsWebhook } from 'nestjs-payments';
import { signWebhook } from 'nestjs-payments/testing';
import { answerTo, type HeaderLine, requestBytes, type WireAnswer, type WireRequest } from './wire.js';
import {
  type AdapterName,
  paymentsOptions,
  secret,
  startWebhookApp,
  type WebhookApp,
} from './webhook-app.js';

/** Signs everything that a sender can be asked to sign. */
export const fullScheme = hmac({
  header: 'x-signature',
  algorithm: 'sha256',
  encoding: 'base64',
  payload: ['id', { literal: '.' }, 'timestamp', { literal: '.' }, 'body'],
  timestamp: { header: 'x-timestamp', unit: 's', toleranceSeconds: 300 },
  id: { header: 'x-id' },
});

/** A status, or one for each adapter if they differ. */
export type ExpectedStatus = number | Readonly<Record<AdapterName, number>>;

/** What a right signature of this body is sent with. */
export function signedLines(body: Uint8Array, type = 'application/json'): HeaderLine[] {
  const headers = signWebhook({ scheme: fullScheme, secret, body, now: new Date() });
  return [['Content-Type', type], ...Object.entries(headers)];
}

/** An application that notes each use of its storage and each event that it handled. */
export class HostileApp {
  readonly uses: string[] = [];
  handled = 0;
  private running: WebhookApp | undefined;

  constructor(private readonly adapter: AdapterName) {}

  async start(): Promise<void> {
    const { handle } = { handle: () => (this.handled += 1) };
    @Controller('webhooks')
    class WebhooksController {
      @PaymentsWebhook('payments')
      received(): void {
        handle();
      }
    }
    this.running = await startWebhookApp(this.adapter, {
      controllers: [WebhooksController],
      payments: [paymentsOptions({ scheme: fullScheme }, { storage: this.watched(memoryStorage()) })],
    });
  }

  /**
   * Sends a request. One that is answered 200 is handled once; any other touches no storage and reaches no handler, and no
   * error's stack is logged.
   */
  async expectStatus(request: WireRequest, expected: ExpectedStatus): Promise<WireAnswer> {
    this.uses.length = 0;
    this.handled = 0;
    const answer = await answerTo(this.port, requestBytes(request));
    const status = typeof expected === 'number' ? expected : expected[this.adapter];
    expect({ status: answer.status, handled: this.handled }).toEqual({
      status,
      handled: status === 200 ? 1 : 0,
    });
    if (status !== 200) expect(this.uses).toEqual([]);
    expect(this.log.filter((line) => /\n\s+at /.test(line))).toEqual([]);
    return answer;
  }

  get log(): readonly string[] {
    return this.running!.logs.lines.map(({ text }) => text);
  }

  /** What was logged of refused signatures. */
  get refusals(): readonly string[] {
    return this.running!.logs.webhooks('warn').filter((line) => line.includes('401'));
  }

  async stop(): Promise<void> {
    await this.running?.app.close();
  }

  private get port(): number {
    return this.running!.port;
  }

  private watched({ inbox, journal, conflicts, ...storage }: PaymentsStorage): PaymentsStorage {
    const watch = <T extends object>(store: T): T =>
      new Proxy(store, {
        get: (target, name, receiver) => {
          this.uses.push(String(name));
          return Reflect.get(target, name, receiver) as unknown;
        },
      });
    return { ...storage, inbox: watch(inbox), journal: watch(journal), conflicts: watch(conflicts) };
  }
}
