/**
 * The names of Express' parsers, by which Nest looks for them too. The parser for forms does not read JSON.
 */
const PARSERS: readonly unknown[] = ['jsonParser', 'rawParser', 'textParser'];

/**
 * The body parsers that an Express instance already has for every path. They are no part of Express' API, so
 * anything that does not look as expected is skipped.
 */
export function earlierParsers(app: { readonly router?: unknown }): readonly string[] {
  return listAt(app.router, 'stack').flatMap((layer) => {
    const name = memberOf(memberOf(layer, 'handle'), 'name');
    // A layer for one path may not cover the package's routes.
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
