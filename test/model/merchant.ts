import { type PaymentsStorage } from 'nestjs-payments';
import { type Kind } from './coverage.js';
import { type LedgerGateway } from './gateway.js';
import { type JournalView, keyOf } from './journal-view.js';
import { MerchantProcess } from './merchant-process.js';
import { type Plan, type Replica, type Slot } from './plan.js';

/** One merchant with one storage, and two replicas, each of which may die and start again. */
export class Merchant {
  /** Every process that ever ran, also those that are dead. */
  readonly processes: MerchantProcess[] = [];
  private readonly replicas: MerchantProcess[] = [];

  constructor(
    private readonly plan: Plan,
    readonly storage: PaymentsStorage,
    private readonly gateway: LedgerGateway,
    private readonly reach: (kind: Kind) => void,
  ) {}

  async start(): Promise<void> {
    this.replicas.push(await this.startProcess(), await this.startProcess());
  }

  replica(which: Replica): MerchantProcess {
    return this.replicas[which]!;
  }

  other(which: Replica): MerchantProcess {
    return this.replica(which === 0 ? 1 : 0);
  }

  lives(process: number): boolean {
    return this.processes.some(({ id, isDead }) => id === process && !isDead);
  }

  async replaceTheDead(): Promise<void> {
    for (const [index, process] of this.replicas.entries()) {
      if (process.isDead) this.replicas[index] = await this.startProcess();
    }
  }

  async restartAll(): Promise<void> {
    for (const process of this.replicas) process.die();
    await this.replaceTheDead();
  }

  /** Resolves to how many writes there were. */
  async letLateWritesArrive(): Promise<number> {
    let writes = 0;
    for (const process of this.processes) writes += await process.letLateWritesArrive();
    return writes;
  }

  async stored(slot: Slot): Promise<JournalView | undefined> {
    return (await this.storage.journal.get(keyOf(slot)))?.record;
  }

  /** A fail-over loses a payment. */
  async loseRow(slot: Slot): Promise<void> {
    const key = keyOf(slot);
    const existing = await this.storage.journal.get(key);
    if (existing && (await this.storage.journal.remove(key, existing.version))) this.reach('a row vanishes');
  }

  async close(): Promise<void> {
    await Promise.all(this.processes.map((process) => process.close()));
  }

  private async startProcess(): Promise<MerchantProcess> {
    const process = await MerchantProcess.start(this.storage, this.gateway, this.plan, this.reach);
    this.processes.push(process);
    return process;
  }
}
