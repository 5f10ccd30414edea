/** Unread bytes that the emulator keeps for one listener. The operating system buffers some more. */
export const UNREAD_LIMIT = 4 * 1_048_576;
/** Unread bytes that it keeps for all listeners. */
export const ALL_UNREAD_LIMIT = 16 * 1_048_576;

/**
 * The listeners to drop: each that has more to read than one may have, then the slowest ones while all together have
 * too much.
 *
 * @param unread The bytes that each listener has not read.
 */
export function listenersToDrop<Listener>(unread: ReadonlyMap<Listener, number>): readonly Listener[] {
  let all = [...unread.values()].reduce((sum, bytes) => sum + bytes, 0);
  if (all <= UNREAD_LIMIT) return [];
  const slowestFirst = [...unread].sort(([, one], [, other]) => other - one);
  const dropped: Listener[] = [];
  for (const [listener, bytes] of slowestFirst) {
    if (bytes <= UNREAD_LIMIT && all <= ALL_UNREAD_LIMIT) break;
    dropped.push(listener);
    all -= bytes;
  }
  return dropped;
}
