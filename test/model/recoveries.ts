import { type RecoveryReport } from 'nestjs-payments';
import { viewOf } from './call-result.js';
import { repeatsRequests } from './interceptors.js';
import { type JournalView, SLOTS } from './journal-view.js';
import { type MerchantProcess } from './merchant-process.js';
import { type RecoverStep, type Slot } from './plan.js';
import { BY_ITSELF } from './result-problem.js';
import { type World } from './world.js';

/** Lets the merchant find out how its payments ended. */
export class Recoveries {
  /** The journal has not failed yet: nothing is left that a process still writes by itself. */
  private isCalm = true;

  constructor(private readonly world: World) {}

  /** The journal fails in this step. */
  meets(trouble: unknown): void {
    if (trouble !== undefined) this.isCalm = false;
  }

  async run(step: Omit<RecoverStep, 'do'>): Promise<void> {
    const { merchant, gateway, checker } = this.world;
    const { by, twice, requests, trouble } = step;
    const process = merchant.replica(by);
    const runs = twice ? [process, merchant.other(by)] : [process];
    gateway.plan(requests);
    process.plan(trouble);
    const sentBefore = checker.sent.length;
    const existing = await Promise.all(
      SLOTS.map(async (slot) => [slot, await merchant.stored(slot)] as const),
    );
    const reports = await Promise.all(runs.map((each) => this.recover(each)));
    gateway.plan([]);
    process.plan(undefined);
    if (process.isCutOff) process.die();
    if (reports.length === 1) await this.checkReport(reports[0]);
    for (const [slot, entry] of existing) this.checkProbe(slot, entry, sentBefore, step);
  }

  /** Undefined if it failed or its process died. */
  private async recover(process: MerchantProcess): Promise<RecoveryReport | undefined> {
    try {
      const report = await Promise.race([process.journal.recover(), process.death]);
      return report === 'died' ? undefined : report;
    } catch (error) {
      // It may say that the storage was away, and nothing else.
      const view = viewOf(error);
      const isExpected = view.name === 'PaymentsStorageError' || process.isDead || process.isCutOff;
      this.world.checker.check(isExpected, `recovery ${BY_ITSELF}`, view);
      return undefined;
    }
  }

  /** An operator who gets an alarm for an unknown payment finds one. */
  private async checkReport(report: RecoveryReport | undefined): Promise<void> {
    if (!report || !this.isCalm) return;
    const { merchant, checker } = this.world;
    let unknown = 0;
    for await (const { state } of merchant.replica(0).journal.unresolved()) {
      if (state === 'unknown' || state === 'in-flight') unknown += 1;
    }
    checker.check(report.stillUnknown <= unknown, 'recovery reports unknown payments that are known', {
      report,
      unknown,
    });
  }

  private checkProbe(
    slot: Slot,
    existing: JournalView | undefined,
    sentBefore: number,
    { requests, trouble }: Omit<RecoverStep, 'do'>,
  ): void {
    const { plan, checker, reach } = this.world;
    const sent = checker.about(slot, sentBefore);
    const turnedAway = requests.some(({ answer }) => answer === 'slow down 429');
    const allowed = turnedAway || repeatsRequests(plan.interceptor) || trouble !== undefined;
    const isPlanned = existing?.state === 'planned';
    if (isPlanned && sent.length > 0) reach('a recovery sends a planned payment');
    // The call of a planned one may end with its probe.
    checker.check(sent.length <= (isPlanned ? 2 : 1) || allowed, 'a payment was probed twice', {
      slot,
      sent,
    });
    const mayProbe = slot.family === 'collection' ? plan.probe.collections : plan.probe.disbursements;
    checker.check(
      sent.length === 0 || mayProbe || isPlanned,
      'a payment was probed although it must not be',
      {
        slot,
        sent,
      },
    );
    checker.check(
      sent.every(({ key }) => key === existing?.idempotencyKey),
      'a probe carried another key',
      { slot, existing, sent },
    );
  }
}
