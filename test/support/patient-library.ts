import { join, sep } from 'node:path';
import { afterEach, beforeEach, vi } from 'vitest';

const LIBRARY = join(process.cwd(), 'lib') + sep;
/** Nobody calls timers through Node's own modules, or those of others, on purpose. */
const BETWEEN = /library-timers|patient-library|node_modules/;
/** What is shorter is no time limit for a server. */
const LIMIT_FROM_MS = 2_000;
const PATIENCE = 15;

/**
 * Lets the library wait longer for a database. Fifty calls at once may reach its time limit of four seconds on a busy
 * machine, and the specs that call this ask for something else. Call it inside a `describe`.
 */
export function patientLibrary(): void {
  let restore: () => void;
  beforeEach(() => {
    const { setTimeout: start } = globalThis;
    const spy = vi
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation((run: () => void, ms = 0, ...args: unknown[]) => {
        const isLimit = ms >= LIMIT_FROM_MS && isCalledByLibrary(new Error());
        // Node's `fetch` starts timers with arguments.
        return start(
          () => {
            run(...(args as []));
          },
          isLimit ? ms * PATIENCE : ms,
        );
      });
    restore = () => {
      spy.mockRestore();
    };
  });
  afterEach(() => {
    restore();
  });
}

/**
 * Whether the library called a spy.
 *
 * @param error Made in the spy.
 * @param between Lines of the stack that are passed over.
 */
export function isCalledByLibrary({ stack = '' }: Error, between = BETWEEN): boolean {
  const [, ...calls] = stack.split('\n');
  return calls.find((call) => !between.test(call))?.includes(LIBRARY) === true;
}
