import { Logger } from '@nestjs/common';
import { type ModulesContainer } from '@nestjs/core';
import { errorMessage } from '../common/error-message.js';

/** What `@nestjs/event-emitter` provides, as far as it is used here. */
interface ApplicationEmitter {
  emitAsync(event: string, payload: unknown): Promise<unknown>;
}

/**
 * Tells the application's `@nestjs/event-emitter`, where it has one. It is found by what it can do, since the package does
 * not depend on it; nobody waits for the listeners, and their errors change nothing.
 */
export class ApplicationEvents {
  private readonly logger = new Logger('PaymentsJournal');
  private emitter: ApplicationEmitter | undefined;

  constructor(private readonly modules: ModulesContainer) {}

  tell(event: string, payload: unknown): void {
    this.emitter ??= this.find();
    this.emitter?.emitAsync(event, payload).catch((error: unknown) => {
      this.logger.error(`A listener of ${event} failed: ${errorMessage(error)}`);
    });
  }

  private find(): ApplicationEmitter | undefined {
    for (const { providers } of this.modules.values()) {
      for (const { instance } of providers.values()) if (isEmitter(instance)) return instance;
    }
    return undefined;
  }
}

/** Both methods together are EventEmitter2's own. */
function isEmitter(instance: unknown): instance is ApplicationEmitter {
  if (typeof instance !== 'object' || instance === null) return false;
  return ['emitAsync', 'onAny'].every(
    (method) => method in instance && typeof (instance as Record<string, unknown>)[method] === 'function',
  );
}
