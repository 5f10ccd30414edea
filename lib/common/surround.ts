import { SafeLogger } from './safe-logger.js';

/**
 * Lets a listener run the work that begins now inside something of its own, for example a context.
 *
 * @param run Begins the work; call it at once. Whatever a listener does with it, the work begins exactly once.
 *
 * @publicApi
 */
export type Around = (run: () => void) => void;

/**
 * Something that begins now.
 *
 * @publicApi
 */
export interface Surroundable {
  /** Asks for the work to be run within `around`; only while the event is published. */
  readonly surround: (around: Around) => void;
}

/** Runs the work inside everything that was asked for, the first one outermost. */
export function runWithin<T>(arounds: readonly Around[], work: () => Promise<T>): Promise<T> {
  return arounds.reduceRight<() => Promise<T>>((inner, around) => () => runInside(around, inner), work)();
}

/** Money may move in there: a listener that throws, or forgets to run it, or runs it twice, changes nothing. */
function runInside<T>(around: Around, work: () => Promise<T>): Promise<T> {
  let begun: Promise<T> | undefined;
  const run = (): Promise<T> => (begun ??= begin(work));
  try {
    around(() => void run());
  } catch (error) {
    report(error);
  }
  return run();
}

function report(error: unknown): void {
  const what = error instanceof Error ? (error.stack ?? error.message) : 'no Error was thrown';
  new SafeLogger('PaymentsDiagnostics').error(`A listener could not surround what begins: ${what}`);
}

/** Begins within the surroundings, and never throws into them. */
async function begin<T>(work: () => Promise<T>): Promise<T> {
  return work();
}
