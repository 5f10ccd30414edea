import { type InboxScope } from '../../common/vocabulary.js';
import { type ResolvedWebhookOptions } from '../../config/resolved-options.js';
import { type SignatureCheck } from '../signature/signature-check.js';
import { type DeliveryLimits } from './delivery-head.js';
import { type WebhookReceiver } from './webhook-receiver.js';

/** What checks the deliveries of an account before they are received. */
export interface DeliveryCheck {
  readonly scope: Pick<InboxScope, 'account'>;
  readonly limits: DeliveryLimits;
  readonly rawBody: ResolvedWebhookOptions['rawBody'];
  readonly signatures: Pick<SignatureCheck, 'accepts' | 'reportUnsigned'>;
}

/** The account that a path names. */
export interface NamedAccount {
  readonly check: DeliveryCheck;
  /** Undefined: no such account receives webhooks, and `check` refuses everything. */
  readonly receiver: WebhookReceiver | undefined;
  /** Call it when the delivery is answered. */
  readonly release: () => void;
}

/** `busy`: it cannot be said now whether there is such an account. */
export type FoundAccount = NamedAccount | 'busy';

/** Receives the webhooks of one account, or of all accounts of a resolver. */
export type Receiving = Pick<WebhookReceiver, 'useQueue' | 'expectsRoute' | 'isQueued' | 'storageName'>;
