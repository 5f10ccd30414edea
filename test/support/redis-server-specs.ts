import { describe } from 'vitest';
import { spawnSync } from 'node:child_process';
import { describeSkipped } from './describe-skipped.js';

const installed = spawnSync('redis-server', ['--version']).status === 0;

/**
 * A `describe` whose specs start servers of their own. Without the program they are skipped, and say why; with
 * `REQUIRE_SERVICES=1` they run and fail.
 */
export function describeWithRedisServer(name: string, specs: () => void): void {
  if (installed || process.env['REQUIRE_SERVICES'] === '1') describe(name, specs);
  else describeSkipped(name, 'the program redis-server is not installed', specs);
}
