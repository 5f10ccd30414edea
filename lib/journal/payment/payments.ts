import { type ApplicationEvents } from '../../common/application-events.js';
import { type InFlight } from '../../common/in-flight.js';
import {
  type JournalRecord,
  type JournalStore,
  type StoredJournalRecord,
} from '../../storage/journal-store.js';
import { type CallOptions } from '../../gateway/call-options.js';
import { type MoneyCall } from '../../gateway/gateway-call.js';
import { type GatewayClient, type RequestRules } from '../../gateway/gateway-client.js';
import { type PaymentsResponse } from '../../gateway/answer/wire-record.js';
import { type EnlistedPayment, type EnlistOptions } from './enlisting.js';
import { JournalWriter } from './journal-writer.js';
import { PlannedPayments, type Sent } from './planned-payments.js';
import { type CallUnderWay, PaymentCalls } from './payment-calls.js';
import { type PaymentOptions, PaymentSender } from './payment-sender.js';

/** Makes payments: writes each one down before it is sent, and sends none twice. */
export interface Payments {
  /** For the services: the rules of requests. */
  readonly rules: RequestRules;
  /**
   * Makes a payment, or returns the result of an earlier call of the same payment.
   *
   * @throws PaymentsError as the services document it.
   */
  make<T extends object>(call: MoneyCall<T>, options?: CallOptions): Promise<PaymentsResponse<T>>;
  /**
   * Probes a payment without its caller. Resolves to the record afterwards, or to undefined if another
   * process was faster.
   */
  probe(existing: StoredJournalRecord): Promise<{ readonly existing: JournalRecord | undefined } | undefined>;
  /** Writes a payment down in a transaction of the application. */
  enlist<T extends object>(
    transaction: unknown,
    call: MoneyCall<T>,
    options?: EnlistOptions,
  ): Promise<EnlistedPayment<T>>;
  /**
   * Sends a planned payment without its caller. Resolves to the record afterwards, or to undefined if another
   * process was faster.
   */
  sendPlanned(existing: StoredJournalRecord): Promise<Sent | undefined>;
  /** What handlers have enlisted is not sent any more: it stays planned. */
  stop(): void;
  /** Resolves when all running calls have ended and are written down. */
  idle(): Promise<void>;
}

/** Keeps the storage in a closure, out of reach of `util.inspect` of a service. */
export function createPayments(
  options: PaymentOptions,
  store: JournalStore,
  events: Pick<ApplicationEvents, 'emit'>,
  gateway: GatewayClient,
  places: InFlight,
): Payments {
  const underWay = new Map<string, CallUnderWay>();
  const writer = new JournalWriter(store, options, places);
  const sender = new PaymentSender(options, store, events, gateway);
  const planned = new PlannedPayments(store, writer, places, sender, underWay);
  const calls = new PaymentCalls(options, store, writer, sender, planned, places, underWay);
  return {
    rules: gateway.rules,
    make: calls.make.bind(calls),
    enlist: calls.enlist.bind(calls),
    probe: planned.probe.bind(planned),
    sendPlanned: planned.send.bind(planned),
    stop: planned.stop.bind(planned),
    idle: async () => {
      await planned.idle();
      await calls.idle();
      await writer.flush();
    },
  };
}
