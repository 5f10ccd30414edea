import { expect, vi } from 'vitest';
import { eventually } from './eventually.js';

interface Recovering {
  readonly app: { close(): Promise<void> };
  readonly journal: { recover(): Promise<object> };
  /** A provider of the package's module, which stops `recover()` when it is destroyed. */
  readonly provider: object;
  /** Starts a run, unless one is under way. */
  readonly begin: () => void;
}

/** Closes an application during a `recover()` that does not end before the package's own module is told to stop. */
export async function closeInRecovery({ app, journal, provider, begin }: Recovering): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    Object.assign(provider, { onModuleDestroy: resolve });
  });
  const recover = vi.spyOn(journal, 'recover').mockImplementation(async () => {
    await stopped;
    return {};
  });
  await eventually(() => {
    begin();
    expect(recover).toHaveBeenCalled();
  });
  await app.close();
}
