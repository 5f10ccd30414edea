import { type PaymentWebhookEvent } from '../../common/events.js';
import { type InboxScope, type SetAsideKind } from '../../common/vocabulary.js';
import { type ConflictStore } from '../../storage/conflict-store.js';
import { SafeLogger } from '../../common/safe-logger.js';
import { chargeFingerprintOf, classifyEvent } from './delivery-decision.js';
import { type VerifiedWebhook } from '../signature/read-event.js';
import { describeEvent } from './webhook-answer.js';

/** Sets deliveries aside and logs that. */
export class ConflictRecorder {
  private readonly logger = new SafeLogger('PaymentsWebhooks');

  constructor(
    private readonly scope: InboxScope,
    private readonly conflicts: Pick<ConflictStore, 'setAside'>,
  ) {}

  /** Rejects if the storage does. */
  setAside(
    kind: SetAsideKind,
    { event, bodyHash }: Pick<VerifiedWebhook, 'event' | 'bodyHash'>,
  ): Promise<void> {
    const { reference } = event.data;
    // Nobody knows which fields identify an unrecognized event, so its whole body does.
    const isUnrecognized = classifyEvent(event).kind === 'unrecognized';
    const fingerprint = isUnrecognized ? bodyHash() : chargeFingerprintOf(event);
    const payload = JSON.stringify(event);
    return this.conflicts.setAside({
      ...this.scope,
      kind,
      event: event.event,
      reference,
      fingerprint,
      payload,
    });
  }

  /** Logs a contradiction as an error, and anything that another system may have caused as a warning. */
  report(kind: SetAsideKind, event: PaymentWebhookEvent, problem: string): void {
    const level = kind === 'conflict' || kind === 'mismatch' ? 'error' : 'warn';
    this.logger[level](
      `Set aside ${describeEvent(event)} of the account '${this.scope.account}' as ${NAMES[kind]}: ${problem}. See ` +
        'PaymentsInbox.conflicts().',
    );
  }
}

const NAMES: Readonly<Record<SetAsideKind, string>> = {
  conflict: 'a conflict',
  mismatch: 'a mismatch',
  unrecognized: 'unrecognized',
  'unknown-reference': 'of an unknown reference',
};
