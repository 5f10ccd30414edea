import { type EnlistedPayment } from 'nestjs-payments';
import { CALLER_GAVE_UP, type CallResult, isRefused, viewOf } from './call-result.js';
import { type SentPayment } from './gateway.js';
import { DEADLINE_MS, type MerchantProcess } from './merchant-process.js';
import { type Outcomes } from './outcomes.js';
import {
  type CallStep,
  type EnlistStep,
  type Meanwhile,
  type PlannedCall,
  type Replica,
  type TwoCallsStep,
} from './plan.js';
import { sendPayment } from './send-payment.js';
import { type World } from './world.js';

/** Makes the calls of a story, and what happens while they wait. */
export class Calls {
  private caller = new AbortController();
  /** What happens when the next payment is at the gateway. */
  private onArrival: ((sent: SentPayment) => Promise<void>) | undefined;
  /** What happens now. On a slow machine a try may end sooner, by its time limit. */
  private happening: Promise<void> | undefined;

  /** @param count Hears how each call ended. */
  constructor(
    private readonly world: World,
    private readonly outcomes: Outcomes,
    private readonly count: (end: string) => void,
  ) {}

  /** A payment is at the gateway, and its answer waits until this resolves. */
  async arrived(sent: SentPayment): Promise<void> {
    const hook = this.onArrival;
    this.onArrival = undefined;
    if (!hook) return;
    this.happening = hook(sent);
    await this.happening;
  }

  async makeOne(step: CallStep): Promise<void> {
    const { merchant, gateway, checker, reach } = this.world;
    const { call, by, requests, meanwhile, trouble, unreachable, killedAfterwards } = step;
    const process = merchant.replica(by);
    const existing = await merchant.stored(call);
    gateway.plan(requests);
    process.plan(trouble);
    checker.begins(call, process.id, existing);
    const sentBefore = checker.sent.length;
    this.onArrival = (sent) => this.happen(meanwhile, call, sent, by);
    const made = (): Promise<CallResult> => this.call(call, process, killedAfterwards);
    const result = unreachable ? await process.withoutGateway(made) : await made();
    this.onArrival = undefined;
    await this.happening;
    this.happening = undefined;
    gateway.plan([]);
    process.plan(undefined);
    if (process.isCutOff) process.die();
    if (result.end !== 'died' && process.isDead) reach('a result before its process is killed');
    if (unreachable && existing === undefined) checker.neverLeft(call, result);
    checker.ended([call], [result], sentBefore, await merchant.stored(call));
    if (call.options === 'once') checker.allowedOneTry(call, result, sentBefore);
    if (result.end === 'died') await this.checkAfterDeath(call);
    // No process knows the payment any more, or the one that does cannot write it down again yet.
    if (meanwhile === 'row vanishes' && trouble !== undefined) checker.lost(call);
  }

  async makeTwo({ calls, elsewhere, requests }: TwoCallsStep): Promise<void> {
    const { merchant, gateway, checker, reach } = this.world;
    const processes = [merchant.replica(0), merchant.replica(elsewhere ? 1 : 0)];
    const existing = await merchant.stored(calls[0]);
    gateway.plan(requests);
    const sentBefore = checker.sent.length;
    calls.forEach((call, index) => {
      checker.begins(call, processes[index]!.id, existing);
    });
    if (elsewhere) reach('two replicas at once');
    const results = await Promise.all(calls.map((call, index) => this.call(call, processes[index]!)));
    gateway.plan([]);
    checker.ended(calls, results, sentBefore, await merchant.stored(calls[0]));
  }

  /** Sends a committed payment, alone or while the other replica calls. */
  async sendEnlisted(
    { call, by, requests, trouble, then }: EnlistStep,
    planned: Pick<EnlistedPayment<{ reference: string; amount: string }>, 'send'>,
  ): Promise<void> {
    const { merchant, gateway, checker, reach } = this.world;
    const [process, other] = [merchant.replica(by), merchant.other(by)];
    const existing = await merchant.stored(call);
    const callers = then === 'both replicas' ? [process, other] : [process];
    gateway.plan(requests);
    process.plan(trouble);
    for (const { id } of callers) checker.begins(call, id, existing);
    const sentBefore = checker.sent.length;
    const results = await Promise.all(
      callers.map((caller) =>
        caller === process
          ? this.call(call, process, false, (signal) => planned.send({ signal }))
          : this.call({ ...call, options: 'plain' }, caller),
      ),
    );
    gateway.plan([]);
    process.plan(undefined);
    if (process.isCutOff) process.die();
    const calls = callers.map(() => call);
    checker.ended(calls, results, sentBefore, await merchant.stored(call));
    if (checker.about(call, sentBefore).length > 0) reach('an enlisted payment is sent');
    if (results.some(({ end }) => end === 'died')) await this.checkAfterDeath(call);
  }

  /** While the first request of a call is at the gateway, and its answer waits. */
  private async happen(what: Meanwhile, call: PlannedCall, sent: SentPayment, by: Replica): Promise<void> {
    const { merchant, gateway, reach } = this.world;
    switch (what) {
      case 'nothing':
        return;
      case 'webhook':
        if (sent.family === 'collection') await this.outcomes.decide(call, 0);
        break;
      case 'operator':
        await this.outcomes.settleMeanwhile(call, merchant.other(by));
        break;
      case 'row vanishes':
        return merchant.loseRow(call);
      case 'others act':
        return this.othersAct(call, by);
      case 'process dies':
        merchant.replica(by).die();
        return;
      case 'caller gives up':
        this.caller.abort(CALLER_GAVE_UP);
        return;
    }
    const effect = gateway.effectsOf(call).at(-1);
    if (effect && !gateway.isOpen(effect)) reach('an end before the answer');
  }

  /** Within its deadline and 30 seconds more, a call may still be running, and nobody else sends its payment. */
  private async othersAct(call: PlannedCall, by: Replica): Promise<void> {
    const { merchant, gateway, checker, reach, pass } = this.world;
    const holder = merchant.replica(by);
    const other = merchant.other(by);
    await pass(DEADLINE_MS + 15_000);
    checker.hold(call, holder.id);
    await other.journal.recover().catch(() => undefined);
    const result = await this.call({ ...call, options: 'plain' }, other);
    if (result.end === 'rejected' && result.error.evidence === 'in-flight')
      reach('a lease keeps others away');
    checker.check(
      result.end !== 'resolved' || gateway.effectsOf(call).length > 0,
      'a call resolved out of nothing',
      { call },
    );
    checker.hold(call, undefined);
  }

  /** The result that the caller got counts, also if its process dies right after that. */
  private async call(
    call: PlannedCall,
    process: MerchantProcess,
    killedAfterwards = false,
    make = (signal: AbortSignal): Promise<{ reference: string; amount: string }> =>
      sendPayment(call, process, signal),
  ): Promise<CallResult> {
    this.caller = new AbortController();
    if (call.options === 'aborted before') this.caller.abort(CALLER_GAVE_UP);
    let told: CallResult | undefined;
    const tell = (result: CallResult): void => {
      if (process.isDead) return;
      told = result;
      if (killedAfterwards) process.die();
    };
    const made = make(this.caller.signal).then(
      (value) => {
        tell({ end: 'resolved', value });
      },
      (error: unknown) => {
        const result: CallResult = { end: 'rejected', error: viewOf(error) };
        if (isRefused(result)) this.world.checker.refused(call);
        tell(result);
      },
    );
    await Promise.race([made, process.death]);
    const result: CallResult = told ?? { end: 'died' };
    this.count(result.end === 'rejected' ? result.error.name : result.end);
    return result;
  }

  /** Nobody can say any more what a dead process knew: what was in a journal that lost it is lost. */
  private async checkAfterDeath(call: PlannedCall): Promise<void> {
    const { merchant, gateway, checker } = this.world;
    const existing = await merchant.stored(call);
    if (existing === undefined) {
      // Either nothing had been written down, and nothing sent, or the row vanished with its process.
      if (gateway.effectsOf(call).length > 0 || gateway.awaits(call)) checker.lost(call);
      checker.freed(call);
    }
    // A planned payment that is still planned was never in the gateway's hands.
    if (existing?.state === 'rejected' || existing?.state === 'planned') checker.freed(call);
  }
}
