import { type EnlistedPayment } from 'nestjs-payments';
import { type ApplicationTransaction } from 'nestjs-payments/testing';
import { viewOf } from './call-result.js';
import { type Calls } from './calls.js';
import { isFreed } from './journal-view.js';
import { type MerchantProcess } from './merchant-process.js';
import { type EnlistStep } from './plan.js';
import { BY_ITSELF } from './result-problem.js';
import { enlistPayment } from './send-payment.js';
import { type World } from './world.js';

type Enlisted = EnlistedPayment<{ reference: string; amount: string }>;

/** Enlists payments in transactions of the merchant, and lets them be sent, or not. */
export class Enlistments {
  constructor(
    private readonly world: World,
    private readonly calls: Pick<Calls, 'sendEnlisted'>,
    private readonly begin: () => Promise<ApplicationTransaction> | ApplicationTransaction,
  ) {}

  async run(step: EnlistStep): Promise<void> {
    const { merchant, checker, reach } = this.world;
    const { call, ends, then } = step;
    const process = merchant.replica(step.by);
    const existing = await merchant.stored(call);
    // Any call may send a payment that is open.
    const isFree = existing === undefined || isFreed(existing);
    const sentBefore = checker.sent.length;
    const transaction = await this.begin();
    const planned = await this.enlist(step, process, transaction);
    if (planned && isFree) await this.expectUnsent(planned, sentBefore, step);
    if (ends === 'dies before') process.die();
    if (!planned || ends === 'rollback' || ends === 'dies before') {
      await transaction.rollback();
      if (planned) reach('a transaction is rolled back');
      if (planned && isFree && ends === 'rollback') await this.expectUnsent(planned, sentBefore, step);
      return;
    }
    await transaction.commit();
    // Such a call removes its payment if it sends nothing.
    const mayVanish = existing?.state === 'in-flight' && existing.plannedAt === undefined;
    checker.check(!mayVanish, 'a payment was enlisted that a direct call may yet remove', { existing });
    if (planned.state === 'planned') checker.plans(call, planned.idempotencyKey, existing);
    if (ends === 'dies after') {
      process.die();
      reach('a process dies between commit and send');
    } else if (then !== 'nobody') await this.calls.sendEnlisted(step, planned);
  }

  /** Undefined if the reference belongs to another payment, which the package says. */
  private async enlist(
    { call, twice }: EnlistStep,
    process: MerchantProcess,
    { handle }: ApplicationTransaction,
  ): Promise<Enlisted | undefined> {
    try {
      const planned = await enlistPayment(call, process, handle);
      if (!twice) return planned;
      const again = await enlistPayment(call, process, handle);
      const isSame = again.idempotencyKey === planned.idempotencyKey && again.state === planned.state;
      this.world.checker.check(isSame, 'a payment that was enlisted twice is two payments', {
        planned,
        again,
      });
      return again;
    } catch (error) {
      const view = viewOf(error);
      const isExpected = EXPECTED.includes(view.name) || process.isDead || process.isCutOff;
      this.world.checker.check(isExpected, `enlisting ${BY_ITSELF}`, view);
      return undefined;
    }
  }

  /** Nothing of a transaction that is open, or was rolled back, is sent. */
  private async expectUnsent(planned: Enlisted, sentBefore: number, { call }: EnlistStep): Promise<void> {
    const { checker } = this.world;
    const result = await planned.send().then(
      (value) => ({ value }),
      (error: unknown) => ({ view: viewOf(error) }),
    );
    const sent = checker.about(call, sentBefore);
    checker.check(
      sent.length === 0 && 'view' in result,
      'a payment was sent whose transaction is not committed',
      {
        result,
        sent,
      },
    );
  }
}

const EXPECTED: readonly string[] = [
  'ReferenceReusedError',
  'PaymentsValidationError',
  'PaymentOutcomeUnknownError',
  'PaymentsStorageError',
];
