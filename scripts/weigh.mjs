// Measures the cost of packages: installed alone in an empty folder with their dependencies, and loaded in a
// fresh process.
//
// Usage: npm run weigh -- undici zod@4 ...
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const RUNS = 9;

for (const specifier of process.argv.slice(2)) {
  const folder = mkdtempSync(join(tmpdir(), 'weigh-'));
  try {
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    execFileSync(
      'npm',
      ['install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', specifier],
      {
        cwd: folder,
        stdio: 'ignore',
      },
    );
    const name = specifier.replace(/(?<=.)@[^/]*$/, '');
    console.log(
      `${specifier}: ${packages(folder)} packages, ${kilobytes(folder)} kB, ${loadTime(folder, name)}`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function packages(folder) {
  const files = readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' });
  return files.filter((file) =>
    /(^|node_modules\/)(@[^/]+\/)?[^/@.][^/]*\/package\.json$/.test(file.replaceAll('\\', '/')),
  ).length;
}

function kilobytes(folder) {
  const files = readdirSync(join(folder, 'node_modules'), { recursive: true, withFileTypes: true });
  const bytes = files
    .filter((file) => file.isFile())
    .map((file) => statSync(join(file.parentPath, file.name)).size);
  return Math.round(bytes.reduce((sum, size) => sum + size, 0) / 1000);
}

/**
 * Processor time: the minimum of several processes, because other load only adds to it. The start of Node
 * does not count.
 */
function loadTime(folder, name) {
  const code = `const before = process.cpuUsage(); await import(${JSON.stringify(name)});
    const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000);`;
  try {
    const times = Array.from({ length: RUNS }, () =>
      Number(
        execFileSync(process.execPath, ['--input-type=module', '-e', code], {
          cwd: folder,
          stdio: ['ignore', 'pipe', 'ignore'],
        }),
      ),
    );
    return `${Math.round(Math.min(...times))} ms to load`;
  } catch {
    return 'is not loaded by itself';
  }
}
