/** Deeper than any request may be. */
const DEEPEST = 40;

/**
 * Copies the arguments of a call, which the application may change before the call reads them. Getters stay getters, and
 * what has a class keeps it: the check of the call says whether they may be there.
 *
 * @param first From which argument on. A transaction before it belongs to its connection.
 */
export function copyArguments(args: readonly unknown[], first: number): unknown[] {
  const copies = new Map<object, unknown>();
  return args.map((arg, index) => (index < first ? arg : copyOf(arg, copies, 0)));
}

function copyOf(value: unknown, copies: Map<object, unknown>, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return value;
  if (copies.has(value)) return copies.get(value);
  if (value instanceof Uint8Array) return Buffer.from(value);
  if (value instanceof ArrayBuffer) return value.slice(0);
  // Not what Node or the browser made: a signal or headers keep their content where no copy finds it.
  if (!Array.isArray(value) && Object.prototype.toString.call(value) !== '[object Object]') return value;
  const copy = Array.isArray(value) ? [] : (Object.create(Object.getPrototypeOf(value) as object) as object);
  copies.set(value, copy);
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    if (!('value' in property)) Object.defineProperty(copy, name, property);
    else Object.defineProperty(copy, name, { ...property, value: copyOf(property.value, copies, depth + 1) });
  }
  return copy;
}
