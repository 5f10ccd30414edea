import { type Chance } from '../core/id-source.js';
import { type Fault, type FaultTarget, type PlannedCallFault } from '../core/fault.js';

/** What a queue of faults needs to go on after a restart. */
export interface FaultState {
  readonly planned: number;
  /** Position of the random sequence. */
  readonly chance: number;
  readonly waiting: readonly PlannedCallFault[];
}

/** Planned faults, first in, first out. */
export class FaultQueue {
  private waiting: PlannedCallFault[] = [];
  private planned = 0;

  /**
   * @param changed Called after a fault was planned, applied or removed.
   */
  constructor(
    private readonly chance: Chance,
    private readonly changed: () => void = () => {},
  ) {}

  /** Plans a fault for one call. */
  add(target: FaultTarget, fault: Fault): PlannedCallFault {
    this.planned += 1;
    const entry = { ...target, id: String(this.planned), fault, left: 1, probability: 1 };
    this.waiting.push(entry);
    this.changed();
    return entry;
  }

  /** Changes how often a planned fault applies. */
  change(entry: PlannedCallFault, change: Partial<Pick<PlannedCallFault, 'left' | 'probability'>>): void {
    Object.assign(entry, change);
    this.changed();
  }

  /** Takes the fault that applies to this call and counts it down. */
  take(call: FaultTarget): Fault | undefined {
    const entry = this.waiting.find((planned) => fits(planned, call) && this.applies(planned));
    if (!entry) return undefined;
    entry.left -= 1;
    if (entry.left === 0) this.remove(entry.id);
    else this.changed();
    return entry.fault;
  }

  list(): readonly PlannedCallFault[] {
    return [...this.waiting];
  }

  /** Returns the removed fault; undefined if there is no such fault. */
  remove(id: string): PlannedCallFault | undefined {
    const found = this.waiting.find((planned) => planned.id === id);
    this.waiting = this.waiting.filter((planned) => planned !== found);
    if (found) this.changed();
    return found;
  }

  /** Removes the faults of one merchant, or all. */
  clear(merchant?: string): void {
    this.waiting =
      merchant === undefined ? [] : this.waiting.filter((planned) => planned.merchant !== merchant);
  }

  get state(): FaultState {
    return { planned: this.planned, chance: this.chance.position, waiting: this.waiting };
  }

  /** Goes on from another run. */
  restore({ planned, chance, waiting }: FaultState): void {
    this.planned = planned;
    this.chance.position = chance;
    this.waiting = [...waiting];
  }

  private applies({ probability }: PlannedCallFault): boolean {
    return probability >= 1 || this.chance.draw() < probability;
  }
}

function fits(planned: FaultTarget, call: FaultTarget): boolean {
  return (
    planned.operation === call.operation &&
    (planned.reference === undefined || planned.reference === call.reference) &&
    (planned.merchant === undefined || planned.merchant === call.merchant)
  );
}
