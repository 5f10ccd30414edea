/** A controller's method that receives webhooks by POST. */
export interface DeclaredRoute {
  /** Its class. Others may inherit the method. */
  readonly controller: object;
  readonly method: object;
  /** For messages: `WebhooksController.received`. */
  readonly name: string;
  /** Undefined: that of the parameter `:account` of its path, or else the default one. */
  readonly account: string | undefined;
  /** Whether the route runs handlers, or only has the guard. */
  readonly dispatches: boolean;
  /** Whether the route takes only requests for one host. */
  readonly isHostBound: boolean;
}

/**
 * A controller's method that takes POST requests. Classes that inherit a method share it, and Nest registers it for each of
 * them.
 */
export interface MethodOwner {
  /** `WebhooksController.received`. */
  readonly name: string;
  /** Its paths without the prefixes and versions of the application: `/webhooks/payments`. */
  readonly ownPaths: readonly string[];
  /** The hosts whose requests it takes; undefined: all of them. */
  readonly hosts: readonly (string | RegExp)[] | undefined;
  /** Whether it, or something around it, can call `next()`, and so may leave a request to the next route. */
  readonly handsOver: boolean;
  /** Undefined if the controller receives no webhooks with the method. */
  readonly webhook: DeclaredRoute | undefined;
}

/**
 * The owners of a method whose route Nest registers now; several if nothing tells them apart.
 *
 * @param path The final path.
 * @param handler The name of the function that Nest registers: newer versions name it after class and method.
 */
export function ownersAt(
  path: string,
  handler: string,
  owners: readonly MethodOwner[],
): readonly MethodOwner[] {
  const named = narrowed(owners, ({ name }) => name === handler);
  return narrowed(named, ({ ownPaths }) => ownPaths.some((own) => path.endsWith(own)));
}

/** All of them if none fits: an adapter may write a path in its own way. */
function narrowed(
  owners: readonly MethodOwner[],
  fits: (owner: MethodOwner) => boolean,
): readonly MethodOwner[] {
  const fitting = owners.filter(fits);
  return fitting.length > 0 ? fitting : owners;
}
