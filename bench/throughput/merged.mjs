/** What several processes did at the same time: the rate of all, the p50 of the middle one, and the p99 of the slowest. */
export function merged(results) {
  const failures = {};
  for (const each of results) {
    for (const [kind, times] of Object.entries(each.failures)) failures[kind] = (failures[kind] ?? 0) + times;
  }
  const sorted = results.map(({ p50 }) => p50).sort((one, other) => one - other);
  return {
    done: results.reduce((sum, { done }) => sum + done, 0),
    allMs: Math.max(...results.map(({ allMs }) => allMs)),
    p50: sorted[Math.floor(sorted.length / 2)],
    p99: Math.max(...results.map(({ p99 }) => p99)),
    failures,
  };
}
