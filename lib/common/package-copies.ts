import { fileURLToPath } from 'node:url';

/** The paths of the copies of this package that were loaded in this process; all of them share the set. */
const REGISTRY = Symbol.for('nestjs-payments.copies');

/** Enters the copy that this file belongs to. */
export function registerCopy(): void {
  const file = ownFile();
  copies().add(file.startsWith('file:') ? fileURLToPath(file) : file);
}

/**
 * Says that the package was loaded from two places, if it was: a service of one copy is not a provider of the
 * other, and Nest's own message would not tell why.
 */
export function describeSecondCopy(): string | undefined {
  const places = [...copies()];
  if (places.length < 2) return undefined;
  return (
    `nestjs-payments was loaded ${places.length} times, from ${places.join(' and ')}: services of one copy cannot be ` +
    'injected from another. Keep one version installed (`npm ls nestjs-payments`, `npm dedupe`), and load it in one way.'
  );
}

function copies(): Set<string> {
  const shared = globalThis as unknown as Record<symbol, Set<string> | undefined>;
  return (shared[REGISTRY] ??= new Set());
}

/**
 * Path of this file, asked of the stack: neither `import.meta` nor `__dirname` exists in both builds. The stack's text
 * would not do: source maps and other formatters rewrite it, and a folder's name may hold spaces.
 */
function ownFile(): string {
  const { stackTraceLimit } = Error;
  const formatter = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
  try {
    Error.stackTraceLimit = 1;
    Error.prepareStackTrace = (_error, [site]) => site?.getFileName();
    return new Error().stack ?? 'an unknown place';
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    if (formatter) Object.defineProperty(Error, 'prepareStackTrace', formatter);
    else Reflect.deleteProperty(Error, 'prepareStackTrace');
  }
}
