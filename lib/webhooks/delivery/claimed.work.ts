import { Logger } from '@nestjs/common';
import { type PaymentWebhookEvent } from '../../common/events.js';
import { type InboxClaim } from '../../common/storage-port.js';
import { type ResolvedWebhookOptions } from '../../config/resolved-options.js';
import { failureLabel } from '../../errors/failure-label.js';
import { isPaymentsError } from '../../errors/payments.error.js';
import { type HandlerStep, runSteps, type StepsResult } from './handler-steps.js';
import { type VerifiedWebhook } from './verified-webhook.js';
import {
  comeAgain,
  describeEvent,
  DONE,
  errorText,
  FAILED,
  STORAGE_RETRY_MS,
  type WebhookAnswer,
} from './webhook-answer.js';

/** Does the work for a claim and ends the claim accordingly. */
export class ClaimedWork {
  private readonly logger = new Logger('PaymentsWebhooks');

  constructor(
    private readonly account: string,
    private readonly times: Pick<ResolvedWebhookOptions, 'handlerTimeoutMs' | 'leaseMs'>,
  ) {}

  /** Rejects only where the storage does. */
  async run(
    claim: InboxClaim,
    steps: readonly HandlerStep[],
    { event, deliveredAt }: VerifiedWebhook,
  ): Promise<WebhookAnswer> {
    const { attempt, transaction } = claim;
    const { handlerTimeoutMs, leaseMs } = this.times;
    const context = {
      account: this.account,
      attempt,
      deliveredAt,
      ...(transaction === undefined ? {} : { transaction }),
    };
    const result = await runSteps(steps, event, context, handlerTimeoutMs);
    if (result.ok !== 'late') return this.end(claim, result, event);
    this.logger.error(
      `The handlers of ${describeEvent(event)} take longer than ${handlerTimeoutMs} ms and run on; answered 503.`,
    );
    // The claim stays with the work that runs on: no second run begins beside it while the lease holds.
    result.rest
      .then((rest) => this.end(claim, rest, event))
      .catch((error: unknown) => {
        this.logger.error(`The end of ${describeEvent(event)} could not be recorded: ${failureLabel(error)}`);
      });
    return comeAgain(leaseMs - handlerTimeoutMs);
  }

  private async end(
    claim: InboxClaim,
    result: StepsResult,
    event: PaymentWebhookEvent,
  ): Promise<WebhookAnswer> {
    if (result.ok) {
      if (await claim.finish()) return DONE;
      this.logger.error(
        `The handlers of ${describeEvent(event)} ended after their lease; another run decides.`,
      );
      return comeAgain(0);
    }
    this.logger.error(
      `${result.step} failed for ${describeEvent(event)}; the next delivery runs again: ${errorText(result.error)}`,
    );
    await claim.fail().catch((error: unknown) => {
      this.logger.error(
        `The claim could not be given back and holds until its lease ends: ${failureLabel(error)}`,
      );
    });
    return isPaymentsError(result.error) && result.error.name === 'PaymentsStorageError'
      ? comeAgain(STORAGE_RETRY_MS)
      : FAILED;
  }
}
