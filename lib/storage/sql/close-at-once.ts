/** A connection of mysql2, which has `destroy`, or of pg. */
export interface ClosableConnection {
  destroy?(): unknown;
  end(): unknown;
  readonly connection?: { readonly stream?: { destroy(): unknown } };
}

/** Closes a connection, whatever it waits for. `end()` of mysql2 waits, and so does that of pg with its option `pipeline`. */
export function closeAtOnce(connection: ClosableConnection): unknown {
  if (connection.destroy) return connection.destroy();
  connection.connection?.stream?.destroy();
  return connection.end();
}
