import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Injectable } from '@nestjs/common';
import { type PaymentWebhookEvent, type PaymentsStorage, OnPayment, PaymentsInbox } from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import { claimed, inboxDelivery } from './inbox-contract.js';
import { journalRecord, storedBy } from './journal-contract.js';
import { patientLibrary } from './patient-library.js';
import { type Answer, deliver, paymentsOptions, startWebhookApp, type WebhookApp } from './webhook-app.js';
import { WebhooksController } from './webhooks.controller.js';

const CALLERS = 50;
const ROUNDS = 20;
const LEASE_MS = 60_000;
/** As long as a test may take: who finds a delivery running waits for its end. */
const PATIENT_MS = 60_000;
const TEN_MINUTES_MS = 600_000;
const SCOPE = { account: 'default', environment: 'sandbox' } as const;

/** What the handlers of all replicas did. */
class Effects {
  readonly outcomes: string[] = [];
  readonly conflicts: string[] = [];
  /** What a handler does before its effect. */
  before: () => Promise<void> = () => Promise.resolve();
}

let effects: Effects;

@Injectable()
class Orders {
  @OnPayment('*')
  async decided({ event, data }: PaymentWebhookEvent): Promise<void> {
    await effects.before();
    effects.outcomes.push(`${data.reference} ${event}`);
  }

  @OnPayment('payment.conflict')
  odd({ data }: PaymentWebhookEvent): void {
    effects.conflicts.push(data.reference);
  }
}

/**
 * What two replicas that share one storage promise. Call it inside a `describe`.
 *
 * @param open Opens an empty storage twice, once for each replica.
 */
export function replicasContract(
  open: () =>
    Promise<readonly [PaymentsStorage, PaymentsStorage]> | readonly [PaymentsStorage, PaymentsStorage],
): void {
  patientLibrary();
  let storages: readonly [PaymentsStorage, PaymentsStorage];
  let replicas: readonly WebhookApp[];

  async function start(inFlightWaitMs: number): Promise<void> {
    replicas = await Promise.all(
      storages.map((storage) =>
        startWebhookApp('express', {
          controllers: [WebhooksController],
          providers: [Orders],
          payments: [paymentsOptions({ inFlightWaitMs, leaseMs: LEASE_MS }, { storage })],
        }),
      ),
    );
  }

  /** Delivers one event after the other to both replicas in turn, all at the same time. */
  function deliverAll(events: readonly PaymentWebhookEvent[]): Promise<Answer[]> {
    return Promise.all(
      events.map((event, index) => deliver(replicas[index % replicas.length]?.port ?? 0, event)),
    );
  }

  beforeEach(async () => {
    effects = new Effects();
    replicas = [];
    storages = await open();
  });

  afterEach(async () => {
    vi.useRealTimers();
    await Promise.all(replicas.map(({ app }) => app.close()));
  });

  it(`acts once on one event that is delivered ${CALLERS} times at once over both replicas`, async () => {
    await start(PATIENT_MS);
    const event = paymentEvent('payment.success', { reference: 'order-1' });
    const answers = await deliverAll(Array.from({ length: CALLERS }, () => event));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(effects.outcomes).toEqual(['order-1 payment.success']);
  });

  it(`acts on one of two final events that race ${ROUNDS} times, and sets the other aside once`, async () => {
    await start(PATIENT_MS);
    const inbox = replicas[0]!.app.get(PaymentsInbox);
    for (let round = 1; round <= ROUNDS; round += 1) {
      const reference = `order-${round}`;
      const rivals = (['payment.success', 'payment.failed'] as const).map((name) =>
        paymentEvent(name, { reference }),
      );
      // Pairs, so that each replica receives both.
      const answers = await deliverAll(
        Array.from({ length: CALLERS }, (_, index) => rivals[(index >> 1) % 2]!),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(effects.outcomes).toHaveLength(round);
      expect(effects.conflicts).toEqual(Array.from({ length: round }, (_, index) => `order-${index + 1}`));
      const rows = (await inbox.conflicts()).filter((row) => row.reference === reference);
      expect(rows).toHaveLength(1);
      expect(effects.outcomes.at(-1)).not.toBe(`${reference} ${rows[0]?.event}`);
    }
  }, 180_000);

  it.each([TEN_MINUTES_MS, -TEN_MINUTES_MS])(
    'handles an event once if the clock of the second replica is %s ms ahead',
    async (aheadMs) => {
      await start(1);
      const event = paymentEvent('payment.success', { reference: 'order-1' });
      let finish = (): void => {};
      const begun = new Promise<void>((resolve) => {
        effects.before = () => {
          resolve();
          return new Promise((release) => {
            finish = release;
          });
        };
      });
      const first = deliver(replicas[0]!.port, event);
      await begun;
      shiftClock(aheadMs);
      const during = await deliver(replicas[1]!.port, event).finally(() => {
        finish();
      });
      expect(during.status).toBe(503);
      expect(Number(during.headers['retry-after'])).toBeGreaterThan(30);
      expect(Number(during.headers['retry-after'])).toBeLessThanOrEqual(60);
      expect((await first).status).toBe(200);
      expect((await deliver(replicas[1]!.port, event)).status).toBe(200);
      expect(effects.outcomes).toEqual(['order-1 payment.success']);
    },
  );

  it.each([TEN_MINUTES_MS, -TEN_MINUTES_MS])(
    'keeps leases, ages and entries if the clock of the second replica is %s ms ahead',
    async (aheadMs) => {
      const [{ inbox, journal }, second] = storages;
      await claimed(await inbox.claim(inboxDelivery('order-1'), LEASE_MS)).finish();
      await inbox.claim(inboxDelivery('order-2'), LEASE_MS);
      await journal.insert(journalRecord('order-1', { state: 'settled', outcome: 'success' }), 0);
      const stored = storedBy(await journal.insert(journalRecord('order-2'), LEASE_MS));
      shiftClock(aheadMs);
      expect((await second.inbox.claim(inboxDelivery('order-2'), LEASE_MS)).result).toBe('busy');
      expect(await second.inbox.purge(SCOPE, TEN_MINUTES_MS / 2)).toBe(0);
      expect(await second.journal.purge(SCOPE, 'settled', TEN_MINUTES_MS / 2)).toBe(0);
      const seen = await second.journal.get(stored.record);
      expect(Math.abs(seen?.ageMs ?? aheadMs)).toBeLessThan(30_000);
      expect(seen?.leaseLeftMs).toBeGreaterThan(30_000);
      const changed = await second.journal.replace(stored.version, stored.record, LEASE_MS);
      expect(Math.abs((changed?.updatedAt ?? 0) - stored.updatedAt)).toBeLessThan(30_000);
    },
  );
}

/** From now on all code in this process reads another time; timers run as before. */
function shiftClock(aheadMs: number): void {
  vi.useFakeTimers({
    now: Date.now() + aheadMs,
    toFake: ['Date'],
  });
}
