import { type OnApplicationBootstrap } from '@nestjs/common';
import { type ModulesContainer } from '@nestjs/core';
import { SafeLogger } from './safe-logger.js';
import { type PaymentWebhookEvent } from './events.js';
import { type JournalEntry } from './journal-entry.js';
import { type MoneyOperation } from './operations.js';
import { type PaymentFamily, type OutcomeEvidence } from './vocabulary.js';

/** What `@nestjs/event-emitter` provides, as far as it is used here. */
interface ApplicationEmitter {
  emitAsync(event: string, ...values: unknown[]): Promise<unknown>;
}

/**
 * Tells the application's `@nestjs/event-emitter`, if it has one. It is found by the name of its module and by what it
 * can do, since the package does not depend on it; nobody waits for the listeners, and their errors change nothing.
 */
export class ApplicationEvents<Events = PaymentsEvents> implements OnApplicationBootstrap {
  private readonly logger = new SafeLogger('PaymentsEvents');
  private emitter: ApplicationEmitter | undefined;
  /** In how many modules there was no emitter when the last of them was complete. */
  private searchedInVain = 0;

  /** In a closure, because the modules hold the options of every account. */
  private readonly modules: () => ModulesContainer;

  constructor(
    private readonly account: string,
    modules: ModulesContainer,
  ) {
    this.modules = () => modules;
  }

  /** Every provider exists by now: only a module that is loaded later may bring an emitter. */
  onApplicationBootstrap(): void {
    this.emitter ??= this.find();
    this.searchedInVain = this.modules().size;
  }

  /** Never throws. */
  emit<Name extends keyof Events & string>(event: Name, payload: Events[Name]): void {
    this.emitFor(this.account, event, payload);
  }

  /** The same for another account of the registration. */
  of(account: string): Pick<ApplicationEvents<Events>, 'emit'> {
    return {
      emit: (event, payload) => {
        this.emitFor(account, event, payload);
      },
    };
  }

  /** False if the application has no emitter: then nothing needs to be prepared for it. */
  get hasSubscribers(): boolean {
    return this.emitter !== undefined || this.searchedInVain !== this.modules().size;
  }

  private emitFor(account: string, event: string, payload: unknown): void {
    if (!this.hasSubscribers) return;
    void this.deliver(account, event, payload);
  }

  /** An async function, so that a listener that throws at once is caught as well. */
  private async deliver(account: string, event: string, payload: unknown): Promise<void> {
    try {
      this.emitter ??= this.find();
      const origin: PaymentsEventOrigin = { account };
      await this.emitter?.emitAsync(event, payload, origin);
    } catch (error) {
      this.logger.error(`A listener of ${event} failed: ${errorMessage(error)}`);
    }
  }

  /** Only that of the module of this name: the application may have emitters of its own, for other things and other readers. */
  private find(): ApplicationEmitter | undefined {
    return [...this.modules().values()]
      .filter(({ metatype }) => metatype.name === 'EventEmitterModule')
      .flatMap(({ providers }) => [...providers.values()].map(({ instance }): unknown => instance))
      .find(isEmitter);
  }
}

/** Both methods together are EventEmitter2's own. */
function isEmitter(instance: unknown): instance is ApplicationEmitter {
  if (typeof instance !== 'object' || instance === null) return false;
  try {
    return ['emitAsync', 'onAny'].every(
      (method) => method in instance && typeof (instance as Record<string, unknown>)[method] === 'function',
    );
  } catch {
    // A proxy or a getter of the application may throw, and must not stop its boot.
    return false;
  }
}

/**
 * A payment of which nobody knows whether the money moved.
 *
 * @publicApi
 */
export interface UnknownPayment {
  /** Name of the merchant account. */
  readonly account: string;
  /** Money in, or money out. */
  readonly family: PaymentFamily;
  /** Which operation was called. */
  readonly operation: MoneyOperation;
  /** The merchant's reference. */
  readonly reference: string;
  /** The `Idempotency-Key` that was sent, for the gateway's support. */
  readonly idempotencyKey: string;
  /** What was seen instead of a clear answer. */
  readonly evidence: OutcomeEvidence;
}

/**
 * A payment that the gateway refused, and for whose answer nobody waited.
 *
 * @publicApi
 */
export interface RejectedPayment {
  /** Name of the merchant account. */
  readonly account: string;
  /** Money in, or money out. */
  readonly family: PaymentFamily;
  /** Which operation was called. */
  readonly operation: MoneyOperation;
  /** The merchant's reference. */
  readonly reference: string;
  /** The `Idempotency-Key` that was sent, for the gateway's support. */
  readonly idempotencyKey: string;
  /** The gateway's code; `INVALID_REQUEST` or `HTTP_<status>` if it gave none: see `PaymentRejectedError`. */
  readonly code: string;
  /**
   * True: no money moved. False: this refusal, or an earlier answer to the same attempt, does not prove that. Pay in no
   * other way then: ask the gateway, or make the same call again, which keeps the key.
   */
  readonly final: boolean;
}

/**
 * Which merchant account an event belongs to: the second argument of every listener.
 *
 * @publicApi
 */
export interface PaymentsEventOrigin {
  /** Its name; `default` if it was given none. */
  readonly account: string;
}

/**
 * What the application's `@nestjs/event-emitter` emits, by event name. It emits once, after the work is done and
 * recorded; a listener that fails is logged and changes nothing. What must not get lost belongs in an `@OnPayment`
 * handler: no event is emitted again, neither after a crash nor on another replica.
 *
 * @example
 * ```ts
 * @OnEvent('payment.success')
 * paid(event: PaymentsEvents['payment.success'], { account }: PaymentsEventOrigin) {
 *   this.sockets.tellCustomer(event.data.reference);
 * }
 * ```
 *
 * @publicApi
 */
export interface PaymentsEvents {
  /** The customer paid. */
  readonly 'payment.success': PaymentWebhookEvent;
  /** The payment failed; no money moved. */
  readonly 'payment.failed': PaymentWebhookEvent;
  /** The customer or the provider cancelled; no money moved. */
  readonly 'payment.cancelled': PaymentWebhookEvent;
  /** Nobody authorized the payment in time; no money moved. */
  readonly 'payment.expired': PaymentWebhookEvent;
  /** The webhook contradicts the recorded outcome of its reference. `PaymentsInbox.conflicts()` lists it. */
  readonly 'payment.conflict': PaymentWebhookEvent;
  /** The webhook contradicts itself, or the amount of its payment. `PaymentsInbox.conflicts()` lists it. */
  readonly 'payment.mismatch': PaymentWebhookEvent;
  /** A call that sent a payment ended with `PaymentOutcomeUnknownError`. */
  readonly 'payment.unknown': UnknownPayment;
  /** The gateway refused an enlisted payment that a handler's commit or `recover()` sent: no caller got the error. */
  readonly 'payment.rejected': RejectedPayment;
  /** Nothing was heard of a payment for longer than `staleAfterMs`. Told by the replica whose `recover()` found it. */
  readonly 'payment.stale': JournalEntry;
}

/** What an error of somebody else's code says, for a log line. */
function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : 'a value that is not an Error was thrown';
}
