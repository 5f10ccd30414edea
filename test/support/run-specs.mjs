import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

/**
 * Runs the specs of a folder. The options of the command line reach them as environment variables.
 *
 * @param {string} folder
 * @param {string} prefix What the names of the variables begin with.
 * @param {Record<string, string | undefined>} defaults The options that there are, each with its value unless said.
 */
export function runSpecs(folder, prefix, defaults) {
  const options = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, { type: 'string', default: value }]),
  );
  const { values } = parseArgs({ options });
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) process.env[`${prefix}_${name.toUpperCase()}`] = value;
  }
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', folder], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
