import { SafeLogger } from '../../common/safe-logger.js';
import { failureLabel } from '../../errors/payments-errors.js';

/** A client that reconnects says so every two seconds. */
const LOG_EVERY_MS = 60_000;

/** Says in the log that Redis is away, once a minute. */
export class OutageLog {
  private readonly logger = new SafeLogger('PaymentsQueue');
  private silentUntil = 0;

  /** @param consequence What it means until Redis is back. */
  constructor(private readonly consequence: string) {}

  failed(error: unknown): void {
    const now = Date.now();
    if (now < this.silentUntil) return;
    this.silentUntil = now + LOG_EVERY_MS;
    this.logger.error(
      `Redis did not do its work (${failureLabel(error)}); while it is away, ${this.consequence}.`,
    );
  }
}
