import { run } from './command.mjs';

const INSTALL = [
  'install',
  '--no-audit',
  '--no-fund',
  '--no-package-lock',
  '--ignore-scripts',
  '--prefer-offline',
];

/** Installs what the folder's package.json names, and these packages. */
export function install(cwd, ...packages) {
  return run('npm', [...INSTALL, ...packages], { cwd, timeoutMs: 300_000 });
}
