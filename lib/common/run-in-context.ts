import { SafeLogger } from './safe-logger.js';

/**
 * Runs the work that begins now in a context of the listener, for example that of an `AsyncLocalStorage`.
 *
 * @param run Begins the work; call it at once. Whatever a listener does with it, the work begins exactly once.
 *
 * @publicApi
 */
export type ContextRunner = (run: () => void) => void;

/**
 * An event of work that begins now.
 *
 * @publicApi
 */
export interface ContextualEvent {
  /** Asks for the work to be run by `runner`; only while the event is published. */
  readonly runInContext: (runner: ContextRunner) => void;
}

/** Runs the work in all contexts that were asked for, the first one outermost. */
export function runWithin<T>(runners: readonly ContextRunner[], work: () => Promise<T>): Promise<T> {
  return runners.reduceRight<() => Promise<T>>((inner, runner) => () => runInside(runner, inner), work)();
}

/** Money may move in there: a listener that throws, or forgets to run it, or runs it twice, changes nothing. */
function runInside<T>(runner: ContextRunner, work: () => Promise<T>): Promise<T> {
  let begun: Promise<T> | undefined;
  const run = (): Promise<T> => (begun ??= begin(work));
  try {
    // An async function compiles as a runner, too: its rejection would end the process.
    const asked: (run: () => void) => unknown = runner;
    const running = asked(() => void run());
    if (running !== undefined) Promise.resolve(running).catch(report);
  } catch (error) {
    report(error);
  }
  return run();
}

function report(error: unknown): void {
  const what = error instanceof Error ? (error.stack ?? error.message) : 'no Error was thrown';
  new SafeLogger('PaymentsDiagnostics').error(`A listener could not run what begins in its context: ${what}`);
}

/** Begins in the context, and never throws into it. */
async function begin<T>(work: () => Promise<T>): Promise<T> {
  return work();
}
