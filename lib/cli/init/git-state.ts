import { spawnSync } from 'node:child_process';
import { basename, dirname } from 'node:path';

/** Whether git knows a file, or its folder, in another state than the last commit's; false where there is no git. */
export function isUncommitted(file: string): boolean {
  const { status, stdout } = spawnSync('git', ['status', '--porcelain', '--', basename(file)], {
    cwd: dirname(file),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return status === 0 && stdout !== '';
}
