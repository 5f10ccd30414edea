import { PaymentsStorageError, type PaymentsStorage } from 'nestjs-payments';

/** When a process dies: at this step of its work with the storage, counted from now on. */
export interface Death {
  readonly afterCalls: number;
  /** Whether the storage still does what was asked last. */
  readonly isDone: boolean;
}

/**
 * The storage as a process sees it. Once the process is dead nothing of what it still does reaches the storage. A dead
 * process would get no answer at all: here it gets errors, so that its promises end.
 */
export class MortalStorage {
  isDead = false;
  private death: Death | undefined;
  private calls = 0;

  constructor(private readonly inner: PaymentsStorage) {}

  dieAt(death: Death): void {
    this.death = death;
    this.calls = 0;
  }

  /** What was planned does not happen any more. */
  forgive(): void {
    this.death = undefined;
  }

  die(): void {
    this.isDead = true;
  }

  /** As the application is given it. */
  get storage(): PaymentsStorage {
    const { inner } = this;
    if (!inner.batches) throw new Error('This storage keeps no batches.');
    const { batches, journal, inbox } = inner;
    return {
      ...inner,
      batches: this.mortal(batches),
      journal: this.mortal(journal),
      inbox: this.mortal(inbox),
    };
  }

  private mortal<Store extends object>(store: Store): Store {
    return new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown =>
          this.call(() => Reflect.apply(member, target, args) as unknown);
      },
    });
  }

  private async call(work: () => unknown): Promise<unknown> {
    this.calls += 1;
    const isLast = this.death !== undefined && this.calls > this.death.afterCalls;
    if (this.isDead) throw dead();
    if (!isLast) return work();
    this.isDead = true;
    if (this.death?.isDone) await work();
    throw dead();
  }
}

function dead(): PaymentsStorageError {
  return new PaymentsStorageError('The process is dead.', { hint: 'Start another one.' });
}
