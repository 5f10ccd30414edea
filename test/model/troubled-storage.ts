import { type JournalStore, type PaymentsStorage } from 'nestjs-payments';
import { type StoreTrouble } from './plan.js';

const WRITES: readonly PropertyKey[] = ['insert', 'replace', 'remove'] satisfies (keyof JournalStore)[];

/** One process's way to a storage that outlives it: once the process is dead, nothing it asks for is done. */
export class TroubledStorage {
  readonly storage: PaymentsStorage;
  private trouble: StoreTrouble | undefined;
  private writes = 0;
  private away: 'for a while' | 'forever' | undefined;
  private dead = false;
  private readonly late: (() => Promise<unknown>)[] = [];
  private readonly underWay = new Set<Promise<unknown>>();

  /** @param onCrash Called when a planned crash strikes; `onPartition` when something does not reach the storage. */
  constructor(
    inner: PaymentsStorage,
    private readonly events: { readonly onCrash: () => void; readonly onPartition: () => void },
  ) {
    this.storage = {
      ...inner,
      inbox: this.guard(inner.inbox),
      journal: this.guard(inner.journal),
      conflicts: this.guard(inner.conflicts),
    };
  }

  /** What happens in the step that begins; a partition of the step before is over. */
  plan(trouble: StoreTrouble | undefined): void {
    this.trouble = trouble;
    this.writes = 0;
    if (this.away === 'for a while') this.away = undefined;
  }

  /** Whether nothing reaches the storage any more. */
  get isCutOff(): boolean {
    return this.away === 'forever';
  }

  kill(): void {
    this.dead = true;
  }

  /** What a slow server still had under way, whether its process lives or not. Resolves to how much that was. */
  async letLateWritesArrive(): Promise<number> {
    const writes = this.late.splice(0);
    for (const write of writes) await write().catch(() => undefined);
    return writes.length;
  }

  /** Resolves when the storage has answered everything. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.allSettled(this.underWay);
  }

  private guard<Store extends object>(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) =>
          this.perform(WRITES.includes(name), () =>
            this.track(Promise.resolve(Reflect.apply(method, target, args) as unknown)),
          );
      },
    });
  }

  private track<T>(work: Promise<T>): Promise<T> {
    this.underWay.add(work);
    const ended = (): void => {
      this.underWay.delete(work);
    };
    work.then(ended, ended);
    return work;
  }

  private async perform(isWrite: boolean, work: () => Promise<unknown>): Promise<unknown> {
    if (this.dead) throw new CrashError();
    if (isWrite) this.writes += 1;
    const kind = isWrite && this.trouble?.nth === this.writes ? this.trouble.kind : undefined;
    if (kind === 'cut off') this.away = 'forever';
    if (kind === 'partition') this.away = 'for a while';
    if (this.away) this.events.onPartition();
    if (kind === 'late') this.late.push(work);
    if (kind === 'dies before') this.crash();
    if (kind === 'fails' || kind === 'late' || this.away) throw new Error('the storage is away');
    const result = await work();
    if (kind === 'dies after') this.crash();
    if (kind === 'answer lost') throw new Error('the storage went away');
    return result;
  }

  private crash(): never {
    this.events.onCrash();
    throw new CrashError();
  }
}

/** Ends the running writes of a dead process; nobody gets their results. */
export class CrashError extends Error {}
