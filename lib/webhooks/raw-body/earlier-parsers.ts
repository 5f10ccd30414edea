/**
 * The names that Express gives to its parsers, by which Nest itself looks for them; one for forms does not
 * read JSON.
 */
const PARSERS: readonly unknown[] = ['jsonParser', 'rawParser', 'textParser'];

/**
 * The body parsers that stand for every path on an Express instance already. What Express keeps there is no
 * part of its API: whatever does not look as expected is passed over.
 */
export function earlierParsers(app: { readonly router?: unknown }): readonly string[] {
  return listAt(app.router, 'stack').flatMap((layer) => {
    const name = memberOf(memberOf(layer, 'handle'), 'name');
    // A layer for one path says so; the package's routes may lie elsewhere.
    const isForOnePath = memberOf(layer, 'slash') === false;
    return typeof name === 'string' && PARSERS.includes(name) && !isForOnePath ? [name] : [];
  });
}

function listAt(owner: unknown, name: string): readonly unknown[] {
  const list = memberOf(owner, name);
  return Array.isArray(list) ? list : [];
}

function memberOf(owner: unknown, name: string): unknown {
  const hasMembers = (typeof owner === 'object' && owner !== null) || typeof owner === 'function';
  return hasMembers ? (Reflect.get(owner, name) as unknown) : undefined;
}
