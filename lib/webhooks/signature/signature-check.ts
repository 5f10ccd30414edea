import { type RawWebhook, type SignatureVerdict } from '../../common/webhook-scheme.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { safeVerdict } from './safe-verdict.js';
import { type ResolvedWebhookOptions } from '../../config/resolved-options.js';

/** Anybody can send unsigned requests, so they must not be able to fill the log. */
const LOG_EVERY_MS = 60_000;

/** Not left to the scheme: one of the application's own may find that every key of none fits. */
const NO_KEY: SignatureVerdict = { ok: false, reason: 'the `notAfter` of every secret has passed' };

/** Checks a signature with the keys that are valid then. Never rejects. */
export function verdictOn(
  webhook: RawWebhook,
  { scheme, keys }: Pick<ResolvedWebhookOptions, 'scheme' | 'keys'>,
  now: number,
): SignatureVerdict | Promise<SignatureVerdict> {
  const valid = keys
    .filter(({ notAfter }) => notAfter === undefined || now <= notAfter)
    .map(({ bytes }) => bytes());
  return valid.length === 0 ? NO_KEY : safeVerdict(() => scheme.verify(webhook, valid, now));
}

/** Checks signatures with the keys that are valid now; says in the log, once a minute, why one was refused. */
export class SignatureCheck {
  private readonly logger = new SafeLogger('PaymentsWebhooks');
  private silentUntil = 0;
  private unreported = 0;

  constructor(
    private readonly account: string,
    private readonly options: Pick<ResolvedWebhookOptions, 'scheme' | 'keys'>,
  ) {}

  /** Answers at once where the scheme does. */
  accepts(webhook: RawWebhook): boolean | Promise<boolean> {
    const verdict = this.verdictOn(webhook);
    return verdict instanceof Promise ? verdict.then(({ ok }) => ok) : verdict.ok;
  }

  verdictOn(webhook: RawWebhook): SignatureVerdict | Promise<SignatureVerdict> {
    const now = Date.now();
    const reported = (verdict: SignatureVerdict): SignatureVerdict => {
      if (!verdict.ok) this.report(verdict.reason, `body of ${webhook.body.length} bytes`, now);
      return verdict;
    };
    const verdict = verdictOn(webhook, this.options, now);
    return verdict instanceof Promise ? verdict.then(reported) : reported(verdict);
  }

  /** A delivery was refused before its body was read. */
  reportUnsigned(): void {
    this.report('it lacks a header of the scheme', 'body not read', Date.now());
  }

  private report(reason: string, body: string, now: number): void {
    this.unreported += 1;
    if (now < this.silentUntil) return;
    this.logger.warn(
      `Refused a webhook of the account '${this.account}' with 401: ${reason} ` +
        `(scheme ${this.options.scheme.name}, ${body}, ${this.unreported} since the last report).`,
    );
    this.silentUntil = now + LOG_EVERY_MS;
    this.unreported = 0;
  }
}
