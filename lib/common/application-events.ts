import { type OnApplicationBootstrap } from '@nestjs/common';
import { type ModulesContainer } from '@nestjs/core';
import { errorMessage } from './error-message.js';
import { SafeLogger } from './safe-logger.js';
import { type PaymentsEventOrigin, type PaymentsEvents } from './payments-events.js';

/** What `@nestjs/event-emitter` provides, as far as it is used here. */
interface ApplicationEmitter {
  emitAsync(event: string, ...values: unknown[]): Promise<unknown>;
}

/**
 * Tells the application's `@nestjs/event-emitter`, where it has one. It is found by what it can do, since the package does
 * not depend on it; nobody waits for the listeners, and their errors change nothing.
 */
export class ApplicationEvents implements OnApplicationBootstrap {
  private readonly logger = new SafeLogger('PaymentsEvents');
  private emitter: ApplicationEmitter | undefined;
  /** In how many modules there was no emitter when the last of them was complete. */
  private searchedInVain = 0;

  constructor(
    private readonly account: string,
    private readonly modules: ModulesContainer,
  ) {}

  /** Every provider stands by now: only a module that is loaded later may bring an emitter. */
  onApplicationBootstrap(): void {
    this.emitter ??= this.find();
    this.searchedInVain = this.modules.size;
  }

  /** Never throws. */
  tell<Name extends keyof PaymentsEvents>(event: Name, payload: PaymentsEvents[Name]): void {
    if (!this.emitter && this.searchedInVain === this.modules.size) return;
    void this.emit(event, payload);
  }

  /** An async function, so that a listener that throws at once is caught as well. */
  private async emit(event: string, payload: unknown): Promise<void> {
    try {
      this.emitter ??= this.find();
      const origin: PaymentsEventOrigin = { account: this.account };
      await this.emitter?.emitAsync(event, payload, origin);
    } catch (error) {
      this.logger.error(`A listener of ${event} failed: ${errorMessage(error)}`);
    }
  }

  private find(): ApplicationEmitter | undefined {
    const modules = [...this.modules.values()];
    // The application may have emitters of its own, for other things.
    const itsModule = modules.find(({ metatype }) => metatype.name === 'EventEmitterModule');
    const instances = (itsModule ? [itsModule] : modules).flatMap(({ providers }) =>
      [...providers.values()].map(({ instance }): unknown => instance),
    );
    return instances.find(isEmitter);
  }
}

/** Both methods together are EventEmitter2's own. */
function isEmitter(instance: unknown): instance is ApplicationEmitter {
  if (typeof instance !== 'object' || instance === null) return false;
  return ['emitAsync', 'onAny'].every(
    (method) => method in instance && typeof (instance as Record<string, unknown>)[method] === 'function',
  );
}
