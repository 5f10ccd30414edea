import { Logger } from '@nestjs/common';
import { type RawWebhook, type SignatureVerdict } from '../../common/webhook-scheme.js';
import { type ResolvedWebhookOptions } from '../../config/resolved-options.js';
import { safeVerdict } from '../schemes/safe-verdict.js';

/** Anybody can send unsigned requests, so they must not be able to fill the log. */
const LOG_EVERY_MS = 60_000;

/** Not left to the scheme: one of the application's own may find that every key of none fits. */
const NO_KEY: SignatureVerdict = { ok: false, reason: 'the `notAfter` of every secret has passed' };

/** Checks signatures with the keys that are valid now; says in the log, once a minute, why one was refused. */
export class SignatureCheck {
  private readonly logger = new Logger('PaymentsWebhooks');
  private silentUntil = 0;
  private unreported = 0;

  constructor(
    private readonly account: string,
    private readonly options: Pick<ResolvedWebhookOptions, 'scheme' | 'keys'>,
  ) {}

  async accepts(webhook: RawWebhook): Promise<boolean> {
    const now = Date.now();
    const keys = this.options.keys
      .filter(({ notAfter }) => notAfter === undefined || now <= notAfter)
      .map(({ bytes }) => bytes);
    const verdict =
      keys.length === 0 ? NO_KEY : await safeVerdict(() => this.options.scheme.verify(webhook, keys, now));
    if (verdict.ok) return true;
    this.report(verdict.reason, webhook.body.length, now);
    return false;
  }

  private report(reason: string, bytes: number, now: number): void {
    this.unreported += 1;
    if (now < this.silentUntil) return;
    this.logger.warn(
      `Refused a webhook of the account '${this.account}' with 401: ${reason} ` +
        `(scheme ${this.options.scheme.name}, body of ${bytes} bytes, ${this.unreported} since the last report).`,
    );
    this.silentUntil = now + LOG_EVERY_MS;
    this.unreported = 0;
  }
}
