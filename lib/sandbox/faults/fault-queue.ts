import { type Chance } from '../core/id-source.js';
import { type Fault, type FaultTarget, type PlannedCallFault } from '../core/fault.js';

/** What a queue of faults needs to continue after a restart. */
export interface FaultState {
  readonly planned: number;
  /** Position of each merchant's random sequence. */
  readonly chances: readonly (readonly [merchant: string, position: number])[];
  readonly waiting: readonly PlannedCallFault[];
}

/** Planned faults, first in, first out. */
export class FaultQueue {
  private waiting: PlannedCallFault[] = [];
  private planned = 0;
  /** A sequence for each merchant: the calls of one do not change the faults of another. */
  private readonly chances = new Map<string, Chance>();

  /**
   * @param chanceOf Makes the random sequence of a merchant; the empty name is that of calls with wrong keys.
   * @param changed Called after a fault was planned, applied or removed.
   */
  constructor(
    private readonly chanceOf: (merchant: string) => Chance,
    private readonly changed: () => void,
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
    const entry = this.waiting.find((planned) => fits(planned, call) && this.applies(planned, call));
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
    const chances = [...this.chances].map(([merchant, { position }]) => [merchant, position] as const);
    return { planned: this.planned, chances, waiting: this.waiting };
  }

  /** Continues from another run. */
  restore({ planned, chances, waiting }: FaultState): void {
    this.planned = planned;
    this.chances.clear();
    for (const [merchant, position] of chances) this.sequenceOf(merchant).position = position;
    this.waiting = [...waiting];
  }

  private applies({ probability }: PlannedCallFault, { merchant = '' }: FaultTarget): boolean {
    return probability >= 1 || this.sequenceOf(merchant).draw() < probability;
  }

  private sequenceOf(merchant: string): Chance {
    const known = this.chances.get(merchant) ?? this.chanceOf(merchant);
    this.chances.set(merchant, known);
    return known;
  }
}

function fits(planned: FaultTarget, call: FaultTarget): boolean {
  return (
    planned.operation === call.operation &&
    (planned.reference === undefined || planned.reference === call.reference) &&
    (planned.merchant === undefined || planned.merchant === call.merchant)
  );
}
