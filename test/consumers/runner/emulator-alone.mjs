import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.mjs';

/** The package and undici. Nest is a peer, which these ways leave out. */
const PACKAGES = ['nestjs-payments', 'undici'];
const MAX_BYTES = 8_600_000;
const WAY = '--legacy-peer-deps';
const BALANCE = `fetch(process.env.PAYMENTS_BASE_URL + '/merchant-balance', {
  headers: { 'x-api-key': process.env.PAYMENTS_API_KEY, 'x-api-secret': process.env.PAYMENTS_API_SECRET },
}).then((answer) => console.log(answer.status))`;

/** The light ways to install the emulator that docs/installation.md names: they bring two packages, and it runs. */
export async function checkEmulatorAlone(step, { work, tarball }) {
  const place = (name) => {
    const cwd = join(work, `emulator-${name}`);
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'package.json'), '{}');
    return cwd;
  };
  const exec = ['sandbox', 'exec', '--', process.execPath, '-e', BALANCE];

  await step('npx --legacy-peer-deps', async () => {
    const cwd = place('npx');
    const env = { NPM_CONFIG_CACHE: join(cwd, 'cache') };
    const told = await run('npx', [WAY, '--yes', `--package=${tarball}`, '--', 'nestjs-payments', ...exec], {
      cwd,
      env,
    });
    assert.equal(told.trim(), '200');
    const [folder] = readdirSync(join(cwd, 'cache', '_npx'));
    checkFolder(join(cwd, 'cache', '_npx', folder, 'node_modules'));
  });
  await step('npm install --legacy-peer-deps', async () => {
    const cwd = place('local');
    await run('npm', ['install', WAY, '--no-audit', '--no-fund', tarball], { cwd });
    assert.equal((await run('npx', ['--no', '--', 'nestjs-payments', ...exec], { cwd })).trim(), '200');
    checkFolder(join(cwd, 'node_modules'));
  });
  await step('npm install --global --legacy-peer-deps', async () => {
    const cwd = place('global');
    await run('npm', ['install', '--global', '--prefix', cwd, WAY, '--no-audit', '--no-fund', tarball], {
      cwd,
    });
    assert.equal((await run(join(cwd, 'bin', 'nestjs-payments'), exec, { cwd })).trim(), '200');
    checkFolder(join(cwd, 'lib', 'node_modules'));
  });
}

function checkFolder(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const packages = entries
    .filter(
      ({ name, parentPath }) =>
        name === 'package.json' && /node_modules\/(@[^/]+\/)?[^/@]+$/.test(parentPath),
    )
    .map(({ parentPath }) => parentPath.split('node_modules/').at(-1));
  assert.deepEqual(packages.sort(), PACKAGES);
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name));
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  assert.ok(bytes < MAX_BYTES, `It weighs ${bytes} bytes.`);
}
