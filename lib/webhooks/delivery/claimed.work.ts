import { Logger } from '@nestjs/common';
import { type PaymentWebhookEvent } from '../../common/events.js';
import { type InboxClaim } from '../../common/storage-port.js';
import { type ResolvedWebhookOptions } from '../../config/resolved-options.js';
import { failureLabel } from '../../errors/failure-label.js';
import { PaymentsStorageError } from '../../errors/payments-storage.error.js';
import { isPaymentsError } from '../../errors/payments.error.js';
import { runSteps, type StepsResult } from './handler-steps.js';
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
import { type DeliveryWork, planWork } from './work-plan.js';

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
    work: DeliveryWork,
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
    const frame = { context, timeoutMs: handlerTimeoutMs, mark: (name: string) => remember(claim, name) };
    const result = await runSteps(planWork(work, claim), event, frame);
    if (result.ok !== 'late') return this.end(claim, result, work, event);
    this.logger.error(
      `${result.running} takes longer than ${handlerTimeoutMs} ms for ${describeEvent(event)} and runs on; answered 503.`,
    );
    // The claim stays with the work that runs on: no second run begins beside it while the lease holds.
    result.rest
      .then((rest) => this.end(claim, rest, work, event))
      .catch((error: unknown) => {
        this.logger.error(`The end of ${describeEvent(event)} could not be recorded: ${failureLabel(error)}`);
      });
    return comeAgain(leaseMs - handlerTimeoutMs);
  }

  private async end(
    claim: InboxClaim,
    result: StepsResult,
    work: DeliveryWork,
    event: PaymentWebhookEvent,
  ): Promise<WebhookAnswer> {
    if (result.ok === false) return this.giveBack(claim, result, event);
    if (result.ok === true && (await claim.finish())) {
      work.done();
      return DONE;
    }
    this.logger.error(`The handlers of ${describeEvent(event)} outran their lease; another run decides.`);
    return comeAgain(0);
  }

  private async giveBack(
    claim: InboxClaim,
    { step, error }: { readonly step: string; readonly error: unknown },
    event: PaymentWebhookEvent,
  ): Promise<WebhookAnswer> {
    this.logger.error(
      `${step} failed for ${describeEvent(event)}; the next delivery runs again: ${errorText(error)}`,
    );
    await claim.fail().catch((failure: unknown) => {
      this.logger.error(
        `The claim could not be given back and holds until its lease ends: ${failureLabel(failure)}`,
      );
    });
    return isPaymentsError(error) && error.name === 'PaymentsStorageError'
      ? comeAgain(STORAGE_RETRY_MS)
      : FAILED;
  }
}

/** A store's own error stays inside: it may hold what was to be stored. */
async function remember(claim: InboxClaim, name: string): Promise<boolean> {
  try {
    return await claim.mark(name);
  } catch (error) {
    throw new PaymentsStorageError(
      `It finished, but that could not be written down, so it may run again: ${failureLabel(error)}`,
    );
  }
}
