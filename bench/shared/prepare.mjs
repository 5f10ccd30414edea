import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPackageIfMissing, dist } from '../../scripts/demo/build.mjs';

const bench = join(dirname(fileURLToPath(import.meta.url)), '..');
const root = join(bench, '..');
const modules = join(bench, 'node_modules');

/**
 * Installs what is measured beside the package, and the package itself as a user would have it.
 *
 * @param tell Gets one line before each thing that takes long.
 */
export function prepare(tell) {
  if (!isInstalled()) {
    tell('Installing what the package is measured against …');
    install();
  }
  buildPackageIfMissing(tell);
  const target = join(modules, 'nestjs-payments');
  rmSync(target, { recursive: true, force: true });
  cpSync(dist, join(target, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(target, 'package.json'));
}

function isInstalled() {
  const installed = join(modules, '.package-lock.json');
  const lock = join(bench, 'package-lock.json');
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs;
}

function install() {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status } = spawnSync(npm, args, {
    cwd: bench,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error('npm ci in bench/ failed: see above.');
}
