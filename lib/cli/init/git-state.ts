import { spawnSync } from 'node:child_process';
import { basename, dirname } from 'node:path';

/** Whether a file, or its folder, differs from git's last commit; false without git. */
export function isUncommitted(file: string): boolean {
  const { status, stdout } = spawnSync('git', ['status', '--porcelain', '--', basename(file)], {
    cwd: dirname(file),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return status === 0 && stdout !== '';
}
