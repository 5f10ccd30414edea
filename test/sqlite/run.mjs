// Runs the specs of SQLite, and those of other storages that need it, on the first Node.js that has it without a flag
// and on a newer one, both from npm.
import { mkdtempSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNode } from '../consumers/runner/nodes.mjs';

const NODES = [22, 24];
const SPECS = ['test/integration/storage/sqlite', 'test/unit/storage/sqlite', 'test/e2e/storage/sqlite'];

const work = mkdtempSync(join(tmpdir(), 'nestjs-payments-sqlite-'));
try {
  for (const major of NODES) {
    const { version, env } = await findNode(major, work);
    console.log(`SQLite on Node.js ${version}`);
    const { status } = spawnSync('node', ['node_modules/vitest/vitest.mjs', 'run', ...SPECS], {
      stdio: 'inherit',
      env: { ...process.env, ...env, REQUIRE_SQLITE: '1' },
    });
    if (status !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
