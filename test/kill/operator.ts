import { type History } from './history.js';
import { insist } from './insist.js';
import { type Ledger } from './ledger.js';
import { deliveriesOf, lot, operationOn, OUTCOMES, type Outcome, outcomeOf, type Size } from './plan.js';
import { type Sender } from './sender.js';

/** How often each event is delivered at the same time. */
const DELIVERIES = 5;

/** Delivers everything about a reference, and releases and purges as the plan has an operator do. */
export class Operator {
  /** Every outcome that was delivered, by reference. */
  readonly sent = new Map<string, readonly Outcome[]>();

  constructor(
    private readonly size: Size,
    private readonly sender: Sender,
    private readonly ledger: Ledger,
    private readonly history: History,
  ) {}

  /** False: something was never answered 200. */
  async playAll(reference: string): Promise<boolean> {
    const outcomes = deliveriesOf(this.size, reference, DELIVERIES);
    this.sent.set(reference, outcomes);
    if (!(await this.sender.deliver(reference, outcomes))) return false;
    return operationOn(this.size, reference) === 'release' ? this.release(reference) : true;
  }

  /** The gateway delivers again what the inbox has forgotten, and then something that contradicts it. */
  async purge(reference: string): Promise<boolean> {
    await insist(() => this.ledger.age(reference));
    if (!(await this.sender.operate('purge', Math.floor(this.lot('operator', reference) * DELIVERIES))))
      return false;
    this.history.add({ what: 'purged', reference });
    const contrary = OUTCOMES[1 + Math.floor(this.lot('contrary', reference) * (OUTCOMES.length - 1))]!;
    const again: readonly Outcome[] = ['success', contrary, 'success', contrary];
    this.sent.set(reference, [...(this.sent.get(reference) ?? []), ...again]);
    return this.sender.deliver(reference, again);
  }

  /** Releases one of the outcomes that were set aside, while they are delivered again. */
  private async release(reference: string): Promise<boolean> {
    const conflicts = await insist(async () => (await this.ledger.setAside()).get(reference) ?? []);
    const chosen = conflicts[Math.floor(this.lot('released', reference) * conflicts.length)];
    if (!chosen) return true;
    this.history.add({ what: 'releasing', reference, outcome: outcomeOf(chosen.event) });
    const place = Math.floor(this.lot('operator', reference) * DELIVERIES);
    const [isReleased, isDelivered] = await Promise.all([
      this.sender.operate(`release?id=${encodeURIComponent(chosen.id)}`, place),
      this.sender.deliver(reference, this.sent.get(reference) ?? []),
    ]);
    return isReleased && isDelivered;
  }

  private lot(...words: readonly string[]): number {
    return lot(this.size.seed, ...words);
  }
}
