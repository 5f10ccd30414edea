/**
 * The names of Express' parsers, by which Nest looks for them too. The parser for forms does not read JSON.
 */
const PARSERS: readonly unknown[] = ['jsonParser', 'rawParser', 'textParser'];

/**
 * The body parsers that an Express instance already has for every path. They are no part of Express' API, so
 * anything that does not look as expected is skipped.
 */
export function earlierParsers(app: { readonly router?: unknown }): readonly string[] {
  return layersOf(app).flatMap((layer) => {
    const name = memberOf(memberOf(layer, 'handle'), 'name');
    // A layer for one path may not cover the package's routes.
    const isForOnePath = memberOf(layer, 'slash') === false;
    return typeof name === 'string' && PARSERS.includes(name) && !isForOnePath ? [name] : [];
  });
}

/**
 * Which paths the route takes that was registered last, as the router itself decides: with its settings, and with patterns.
 *
 * @param path The path of the route, as it was registered.
 */
export function lastRouteMatcher(
  app: { readonly router?: unknown },
  path: string,
): (requested: string) => boolean {
  const layer = layersOf(app).at(-1);
  const match = memberOf(layer, 'match');
  if (typeof match !== 'function' || memberOf(memberOf(layer, 'route'), 'path') !== path) return () => false;
  return (requested) => Boolean(match.call(layer, requested));
}

function layersOf(app: { readonly router?: unknown }): readonly unknown[] {
  try {
    const layers = memberOf(app.router, 'stack');
    return Array.isArray(layers) ? layers : [];
  } catch {
    // Express 4 throws here.
    return [];
  }
}

function memberOf(owner: unknown, name: string): unknown {
  const hasMembers = (typeof owner === 'object' && owner !== null) || typeof owner === 'function';
  return hasMembers ? (Reflect.get(owner, name) as unknown) : undefined;
}
