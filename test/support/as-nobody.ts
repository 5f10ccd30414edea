const NOBODY = 65_534;

/** Runs it without the rights of root, as whom the tests may run: nothing is forbidden to root. */
export function asNobody<Result>(run: () => Result): Result {
  if (process.getuid?.() !== 0) return run();
  process.seteuid?.(NOBODY);
  try {
    return run();
  } finally {
    process.seteuid?.(0);
  }
}
