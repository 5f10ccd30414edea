import { MinuteLog } from '../../common/minute-log.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { failureLabel } from '../../errors/payments-errors.js';

/**
 * Logs the absence of Redis, or of what is in its place, at most once a minute: a reconnecting client reports an error
 * every two seconds.
 */
export class OutageLog {
  private readonly log: MinuteLog;

  /** @param consequence The effect of the outage, for the log. */
  constructor(
    private readonly consequence: string,
    private readonly place = 'Redis',
  ) {
    const logger = new SafeLogger('PaymentsQueue');
    this.log = new MinuteLog((line) => {
      logger.error(line);
    });
  }

  failed(error: unknown): void {
    this.log.report(
      `${this.place} did not do its work (${failureLabel(error)}); while it is away, ${this.consequence}`,
    );
  }
}
