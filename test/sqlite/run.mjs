// Runs the specs of SQLite on the first Node.js that has it without a flag, from npm, and on a newer one. `--node` takes the major
// version of one of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findNode, nodeFromNpm } from '../consumers/runner/nodes.mjs';

const NODES = { 22: (work) => nodeFromNpm('22.13.0', work), 24: (work) => findNode(24, work) };
const SPECS = [
  'test/integration/storage/sqlite',
  'test/unit/storage/sqlite',
  'test/integration/storage/sealed',
  'test/e2e/storage/sealed/canary.e2e.spec.ts',
  'test/e2e/storage/sealed/without-the-option.e2e.spec.ts',
  'test/e2e/cli/init.spec.ts',
  'test/e2e/cli/init-sqlite.spec.ts',
  'test/e2e/cli/migrate.spec.ts',
  'test/e2e/cli/payout-embedded.spec.ts',
  'test/e2e/module/boot-warning.e2e.spec.ts',
  'test/e2e/storage/next-application.e2e.spec.ts',
  'test/e2e/sample/story.spec.ts',
  'sample/01-quickstart',
];

/** What the same files say of servers holds on every Node.js: `npm test` runs it. */
const NO_SERVERS = {
  REQUIRE_SERVICES: '0',
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  REDIS_URL: 'redis://127.0.0.1:1',
};

const { node: wanted = Object.keys(NODES) } = parseArgs({
  options: { node: { type: 'string', multiple: true } },
}).values;
const unknown = wanted.find((major) => !Object.hasOwn(NODES, major));
if (unknown !== undefined) {
  console.error(`--node takes ${Object.keys(NODES).join(' or ')}, not ${unknown}.`);
  process.exit(2);
}

const work = mkdtempSync(join(tmpdir(), 'nestjs-payments-sqlite-'));
try {
  for (const major of wanted) {
    const { version, env } = await NODES[major](work);
    console.log(`SQLite on Node.js ${version}`);
    const { status } = spawnSync('node', ['node_modules/vitest/vitest.mjs', 'run', ...SPECS], {
      stdio: 'inherit',
      env: { ...process.env, ...env, ...NO_SERVERS, REQUIRE_SQLITE: '1' },
    });
    if (status !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
