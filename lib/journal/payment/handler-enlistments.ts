import { AsyncLocalStorage } from 'node:async_hooks';

/** Sends one payment. Never rejects. */
type Send = () => Promise<void>;

/** How many payments of one delivery are sent at the same time. */
const AT_ONCE = 16;

/**
 * Absent while no journal of this process has transactions. Node 20 and 22 make every promise of the process slower
 * once an `AsyncLocalStorage` has run.
 */
let current: AsyncLocalStorage<HandlerEnlistments> | undefined;

/** The payments that the handlers of one delivery enlist. They are sent when the delivery is committed. */
export class HandlerEnlistments {
  private readonly sends: Send[] = [];

  /** Who has a journal in which handlers can enlist calls this before any handler runs. */
  static expect(): void {
    current ??= new AsyncLocalStorage();
  }

  /** Notes a payment that is enlisted inside of a handler. */
  static add(send: Send): void {
    current?.getStore()?.sends.push(send);
  }

  /** Runs handlers. */
  run<T>(handlers: () => T): T {
    return current ? current.run(this, handlers) : handlers();
  }

  /** Sends what was enlisted; nobody waits for it. */
  send(): void {
    const sends = this.sends.splice(0);
    const next = async (): Promise<void> => {
      for (let send = sends.shift(); send; send = sends.shift()) await send();
    };
    for (let at = 0; at < AT_ONCE; at += 1) void next();
  }
}
