/**
 * Takes own `__proto__` fields out of what was parsed, at every level: one would become a prototype wherever
 * somebody copies the object with `Object.assign`. Walks level by level, because a recursion would end at a
 * depth that JSON.parse reads.
 *
 * @param text The JSON that was parsed. Nearly none can hold the name, and then nothing is walked.
 */
export function withoutPrototypes<T extends object>(parsed: T, text: string): T {
  if (!mayNamePrototype(text)) return parsed;
  for (let level: readonly object[] = [parsed]; level.length > 0; level = level.flatMap(holdersIn));
  return parsed;
}

/** The name as it is, or spelled with an escape: `"\u005f_proto__"` is the same. A text has fewer `u` than `\`, which costs time. */
function mayNamePrototype(text: string): boolean {
  return text.includes('__proto__') || text.includes('u00');
}

/** Levels of a webhook, and of a request whose data a webhook repeats. The specification's events have four; recursive code survives more. */
export const DEEPEST_NESTING = 100;

/** Takes the own `__proto__` out of one object; gives the objects and lists in it. */
export function holdersIn(holder: object): readonly object[] {
  if (Object.hasOwn(holder, '__proto__')) Reflect.deleteProperty(holder, '__proto__');
  return Object.values(holder).filter(isHolder);
}

/** A copy of a JSON value, faster than structuredClone(). It is recursive: an event has at most 100 levels. */
export function copyOf<T>(value: T): T {
  if (!isHolder(value)) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  const copy = { ...(value as Readonly<Record<string, unknown>>) };
  for (const key of Object.keys(copy)) {
    const field = copy[key];
    if (isHolder(field)) copy[key] = copyOf(field);
  }
  return copy as T;
}

/** Whether a JSON value is an object or a list. */
export function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Whether a value is an object, and no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return isHolder(value) && !Array.isArray(value);
}

/** The fields that have a value. */
export function definedFields<T>(fields: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/**
 * The own fields of an object, and those of these names that it has from its class: a getter, for example. A copy alone would leave
 * them out, and a cap with them.
 */
export function withInherited<T extends object>(options: T, names: readonly string[]): T {
  const inherited = names.filter((name) => name in options && !Object.hasOwn(options, name));
  if (inherited.length === 0) return options;
  const fields = options as Readonly<Record<string, unknown>>;
  return { ...options, ...Object.fromEntries(inherited.map((name) => [name, fields[name]])) };
}

/** Whether a text is a JSON object. */
export function isJsonObject(text: string): boolean {
  return jsonObject(text) !== undefined;
}

/** The JSON object in a text; undefined if it is anything else. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? withoutPrototypes<Readonly<Record<string, unknown>>>(value, text) : undefined;
  } catch {
    return undefined;
  }
}
