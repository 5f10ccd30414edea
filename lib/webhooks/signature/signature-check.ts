import { type RawWebhook, type SignatureVerdict } from '../../common/webhook-scheme.js';
import { MinuteLog } from '../../common/minute-log.js';
import { type SafeLogger } from '../../common/safe-logger.js';
import { type ResolvedWebhookOptions } from '../../config/resolved-options.js';

type SignatureOptions = Pick<ResolvedWebhookOptions, 'scheme' | 'keys'>;
type SignatureVerifier = (webhook: RawWebhook, now: number) => SignatureVerdict | Promise<SignatureVerdict>;

/** Not left to the scheme: the application's own scheme may accept an empty list of keys. */
const NO_KEY: SignatureVerdict = { ok: false, reason: 'the `notAfter` of every secret has passed' };

/** Checks signatures with the keys that are valid at a moment. The result never rejects. */
export function signatureVerifier({ scheme, keys }: SignatureOptions): SignatureVerifier {
  // A closure, so that nobody prints or serializes the keys.
  const known = keys.map(({ bytes, notAfter }) => ({ key: bytes(), notAfter }));
  return (webhook, now) => {
    const valid = known
      .filter(({ notAfter }) => notAfter === undefined || now <= notAfter)
      .map(({ key }) => key);
    return valid.length === 0 ? NO_KEY : safeVerdict(() => scheme.verify(webhook, valid, now));
  };
}

/** Checks signatures with the keys that are valid now. Logs a refusal once a minute. */
export class SignatureCheck {
  private readonly refusals: MinuteLog;
  private readonly schemeName: string;
  private verifier: SignatureVerifier;
  private readonly scheme: () => SignatureOptions['scheme'];

  constructor(
    account: string,
    options: SignatureOptions,
    logger: Pick<SafeLogger, 'warn'>,
    /** For the log. */
    private readonly ofAccount = `of the account '${account}'`,
  ) {
    this.refusals = new MinuteLog((line) => {
      logger.warn(line);
    });
    const { scheme } = options;
    this.schemeName = scheme.name;
    this.scheme = () => scheme;
    this.verifier = signatureVerifier(options);
  }

  /** Checks with other keys from now on. */
  useKeys(keys: SignatureOptions['keys']): void {
    this.verifier = signatureVerifier({ scheme: this.scheme(), keys });
  }

  /** Whether the signature is valid. Returns no promise if the scheme returns none. Never rejects. */
  accepts(webhook: RawWebhook): boolean | Promise<boolean> {
    const verdict = this.verdictOn(webhook);
    return verdict instanceof Promise ? verdict.then(({ ok }) => ok) : verdict.ok;
  }

  /** Whether the signature is valid, without a line in the log. Never rejects. */
  async isGenuine(webhook: RawWebhook): Promise<boolean> {
    const { ok } = await this.verifier(webhook, Date.now());
    return ok;
  }

  /** The verdict on the signature. Never rejects. */
  verdictOn(webhook: RawWebhook): SignatureVerdict | Promise<SignatureVerdict> {
    const now = Date.now();
    const reported = (verdict: SignatureVerdict): SignatureVerdict => {
      if (!verdict.ok) this.report(verdict.reason, `body of ${webhook.body.length} bytes`);
      return verdict;
    };
    const verdict = this.verifier(webhook, now);
    return verdict instanceof Promise ? verdict.then(reported) : reported(verdict);
  }

  /** Reports a delivery without a header of the scheme, which was refused before its body was read. */
  reportUnsigned(): void {
    const needed = (this.scheme().requiredHeaders ?? []).join(', ');
    this.report(`it lacks a header of the scheme, which needs ${needed}`, 'body not read');
  }

  private report(reason: string, body: string): void {
    this.refusals.report(
      `Refused a webhook ${this.ofAccount} with 401: ${reason} (scheme ${this.schemeName}, ${body})`,
    );
  }
}

const THREW: SignatureVerdict = { ok: false, reason: 'the scheme threw an error' };

/**
 * Runs a check that may be the application's own. Only `{ ok: true }` is a yes. Returns no promise if the
 * check returns none. Never rejects.
 */
export function safeVerdict(
  check: () => SignatureVerdict | Promise<SignatureVerdict>,
): SignatureVerdict | Promise<SignatureVerdict> {
  try {
    const given = check() as SignatureVerdict | PromiseLike<SignatureVerdict> | null | undefined;
    return isPending(given) ? later(given) : clearVerdict(given);
  } catch {
    return THREW;
  }
}

function isPending(
  given: SignatureVerdict | PromiseLike<SignatureVerdict> | null | undefined,
): given is PromiseLike<SignatureVerdict> {
  return typeof (given as Partial<PromiseLike<SignatureVerdict>> | null | undefined)?.then === 'function';
}

async function later(given: PromiseLike<SignatureVerdict>): Promise<SignatureVerdict> {
  try {
    return clearVerdict(await given);
  } catch {
    return THREW;
  }
}

function clearVerdict(verdict: SignatureVerdict | null | undefined): SignatureVerdict {
  if (verdict?.ok === true) return verdict;
  return { ok: false, reason: verdict?.reason ?? 'the scheme gave no reason' };
}
