import { SafeLogger } from '../../common/safe-logger.js';
import { failureLabel } from '../../errors/payments-errors.js';

/** A reconnecting client reports an error every two seconds. */
const LOG_EVERY_MS = 60_000;

/** Logs the absence of Redis, or of what is in its place, at most once a minute. */
export class OutageLog {
  private readonly logger = new SafeLogger('PaymentsQueue');
  private silentUntil = 0;

  /** @param consequence The effect of the outage, for the log. */
  constructor(
    private readonly consequence: string,
    private readonly place = 'Redis',
  ) {}

  failed(error: unknown): void {
    const now = Date.now();
    if (now < this.silentUntil) return;
    this.silentUntil = now + LOG_EVERY_MS;
    this.logger.error(
      `${this.place} did not do its work (${failureLabel(error)}); while it is away, ${this.consequence}.`,
    );
  }
}
