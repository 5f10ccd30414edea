import { inspect } from 'node:util';

const EVERYTHING = { depth: Infinity, showHidden: true, maxArrayLength: null, maxStringLength: null };

/** All that a log, an error page or a debugger could print of an object, without white space. */
export function printed(value: unknown): string {
  const texts = [
    inspect(value, EVERYTHING),
    inspect(value, { ...EVERYTHING, showHidden: false }),
    json(value),
  ];
  return texts.join('\n').replace(/\s+/g, '');
}

/** As loggers write JSON: what holds itself is left out there, and does not throw. */
function json(value: unknown): string {
  const path: unknown[] = [];
  return JSON.stringify(value, function (this: unknown, _name, inner: unknown) {
    if (typeof inner !== 'object' || inner === null) return inner;
    // JSON is written depth first: what comes before the holder encloses it.
    path.length = path.lastIndexOf(this) + 1;
    if (path.includes(inner)) return undefined;
    path.push(inner);
    return inner;
  });
}
