import { randomBytes } from 'node:crypto';
import { type RawWebhook } from '../../common/webhook-scheme.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { type ResolvedWebhookOptions } from '../../config/resolved-options.js';
import { SignatureCheck } from '../signature/signature-check.js';
import { type DeliveryCheck } from './delivery-check.js';
import { type DeliveryLimits } from './delivery-head.js';

const KEY_BYTES = 32;

/**
 * Stands in place of an account that a path names and that does not exist, or is not looked up yet. Does the work
 * of checking a signature, with a key that nobody has, and refuses whatever comes.
 */
export class UnknownAccount implements DeliveryCheck {
  readonly scope: DeliveryCheck['scope'];
  readonly limits: DeliveryLimits;
  readonly rawBody: DeliveryCheck['rawBody'];
  readonly signatures: DeliveryCheck['signatures'];

  /** @param registration The account in diagnostics: a name from a path could be anything. */
  constructor(registration: string, options: Omit<ResolvedWebhookOptions, 'keys'>) {
    this.scope = { account: registration };
    this.limits = { ...options, requiredHeaders: options.scheme.requiredHeaders ?? [] };
    this.rawBody = options.rawBody;
    const bytes = randomBytes(KEY_BYTES);
    const { scheme } = options;
    const check = new SignatureCheck(
      registration,
      { scheme, keys: [{ bytes: () => bytes, notAfter: undefined, isShort: false }] },
      new SafeLogger('PaymentsWebhooks'),
      'of an account that does not exist or was not looked up',
    );
    this.signatures = {
      accepts: (webhook: RawWebhook) => refused(check.accepts(webhook)),
      reportUnsigned: () => {
        check.reportUnsigned();
      },
    };
  }
}

/** The application's own scheme may look at no key. */
function refused(accepted: boolean | Promise<boolean>): false | Promise<false> {
  return accepted instanceof Promise ? accepted.then(() => false) : false;
}
