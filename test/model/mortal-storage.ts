import { type JournalStore, type PaymentsStorage } from '../../lib/index.js';
import { type Death, type Outage } from './plan.js';

const WRITES: readonly PropertyKey[] = ['insert', 'replace', 'remove'] satisfies (keyof JournalStore)[];

/** What may go wrong for a process. */
export interface Doom {
  readonly death?: Death | undefined;
  readonly outage?: Outage | undefined;
}

/** One process's way to a storage that outlives it: once the process is dead, nothing it asks for is done. */
export class MortalStorage {
  readonly storage: PaymentsStorage;
  private doom: Doom = {};
  private writes = 0;
  private dead = false;

  /** @param onDeath Called when a planned death strikes. */
  constructor(
    inner: PaymentsStorage,
    private readonly onDeath: () => void,
  ) {
    this.storage = { name: inner.name, inbox: this.guard(inner.inbox), journal: this.guard(inner.journal) };
  }

  plan(doom: Doom): void {
    this.doom = doom;
    this.writes = 0;
  }

  kill(): void {
    this.dead = true;
  }

  private guard<Store extends object>(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
        const work = (args: unknown[]): Promise<unknown> => method.apply(target, args);
        return (...args: unknown[]) => this.perform(WRITES.includes(name), () => work(args));
      },
    });
  }

  private async perform(isWrite: boolean, work: () => Promise<unknown>): Promise<unknown> {
    if (this.dead) throw new DeathError();
    if (!isWrite) return work();
    this.writes += 1;
    const strikes = (
      plan: { readonly nth: number; readonly side: string } | undefined,
      side: string,
    ): boolean => plan?.nth === this.writes && plan.side === side;
    const { outage } = this.doom;
    const death = this.doom.death?.at === 'write' ? this.doom.death : undefined;
    const [diesAfter, failsAfter] = [strikes(death, 'after'), strikes(outage, 'after')];
    if (strikes(death, 'before')) this.die();
    if (strikes(outage, 'before')) throw new Error('the storage is down');
    const result = await work();
    if (diesAfter) this.die();
    if (failsAfter) throw new Error('the storage went down');
    return result;
  }

  private die(): never {
    this.onDeath();
    throw new DeathError();
  }
}

/** Ends whatever a dead process still had under way; nobody hears of it. */
export class DeathError extends Error {}
