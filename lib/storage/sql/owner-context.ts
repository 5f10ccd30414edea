import { AsyncLocalStorage } from 'node:async_hooks';

/** What an owner runs. */
interface Frame<Owner, Value> {
  readonly owner: Owner;
  readonly value: Value;
  /** What other owners were running when it began. */
  readonly around: Frame<Owner, Value> | undefined;
}

/**
 * What code runs in, by owner: a connection, a pool, a file. Owners share one `AsyncLocalStorage`, because Node.js before 24
 * never forgets one that has run and asks all of them whenever a promise is made: one for each transaction would make the
 * application slower with each transaction, until it restarts.
 */
export class OwnerContext<Owner extends object, Value> {
  // eslint-disable-next-line no-restricted-syntax -- contexts themselves are made once, which the same rule checks
  private readonly frames = new AsyncLocalStorage<Frame<Owner, Value>>();

  /** What the caller runs in; undefined if it runs in nothing of this owner. */
  get(owner: Owner): Value | undefined {
    let frame = this.frames.getStore();
    while (frame && frame.owner !== owner) frame = frame.around;
    return frame?.value;
  }

  run<T>(owner: Owner, value: Value, work: () => T): T {
    const top = this.frames.getStore();
    // The new frame hides one of the same owner. To keep that would make the chain longer with each turn of a loop.
    const around = top?.owner === owner ? top.around : top;
    return this.frames.run({ owner, value, around }, work);
  }
}
