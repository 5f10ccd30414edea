import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Puts a package that fails the process where each of these would be found, for as long as the work lasts. */
export async function withTraps(cwd, names, work) {
  const aside = join(cwd, 'aside');
  mkdirSync(aside);
  const places = names.map((name, index) => ({
    name,
    installed: join(cwd, 'node_modules', name),
    kept: join(aside, String(index)),
  }));
  try {
    for (const { name, installed, kept } of places) {
      if (existsSync(installed)) renameSync(installed, kept);
      setTrap(installed, name);
    }
    await work();
  } finally {
    for (const { installed, kept } of places) {
      rmSync(installed, { recursive: true, force: true });
      if (existsSync(kept)) renameSync(kept, installed);
    }
    rmSync(aside, { recursive: true });
  }
}

/** A package that swallows the error has loaded it anyway. */
function setTrap(folder, name) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '0.0.0', main: 'index.js' }));
  const trap = [
    `process.on('exit', () => { process.exitCode = 1; });`,
    `console.error('${name} was loaded');`,
    `throw new Error('${name} is not there');`,
  ];
  writeFileSync(join(folder, 'index.js'), trap.join('\n'));
}
