import { type Fault, type FaultTarget, type PlannedCallFault } from '../core/fault.js';

/** Planned faults, first in, first out. */
export class FaultQueue {
  private waiting: PlannedCallFault[] = [];
  private planned = 0;

  /**
   * @param chance Draws a number from 0 to below 1.
   * @param changed Called after a fault was planned, applied or removed.
   */
  constructor(
    private readonly chance: () => number,
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

  private applies({ probability }: PlannedCallFault): boolean {
    return probability >= 1 || this.chance() < probability;
  }
}

function fits(planned: FaultTarget, call: FaultTarget): boolean {
  return (
    planned.operation === call.operation &&
    (planned.reference === undefined || planned.reference === call.reference) &&
    (planned.merchant === undefined || planned.merchant === call.merchant)
  );
}
