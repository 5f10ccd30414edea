import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { build, stop } from 'esbuild';

/**
 * Runs an ES module, which imports files of the repository as `./lib/…`, in a process of its own: the specs of a worker
 * share theirs.
 *
 * @param options Of Node.
 * @returns What it printed.
 */
export async function scriptOutput(script: string, ...options: readonly string[]): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  });
  await stop();
  const args = [...options, '--input-type=module', '--eval', outputFiles[0]!.text];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 50_000 });
  return stdout;
}
