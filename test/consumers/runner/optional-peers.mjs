import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkDeclarations, onlyCommonJs } from './application.mjs';
import { run } from './command.mjs';
import { ENTRY_POINTS, specifierOf } from './entry-points.mjs';
import { install } from './install.mjs';
import { withTraps } from './traps.mjs';

/** What the package may find in an application or be used beside, and must never load. */
const NEVER_LOADED = [
  'pg',
  '@nestjs/event-emitter',
  '@nestjs/platform-express',
  '@nestjs/platform-fastify',
  '@nestjs/swagger',
  '@nestjs/testing',
];

/** Each entry point loads and compiles where its own optional peers are, and asks for no other. */
export async function checkOptionalPeers(step, { cwd, optionalPeers }) {
  await step('install every optional peer', () => install(cwd, ...optionalPeers));
  await step('type check of every declaration', () => checkEveryDeclaration(cwd));
  await step('import and require give one copy of every entry point', () =>
    run('node', [join('checks', 'one-copy.mjs'), ...Object.keys(ENTRY_POINTS).map(specifierOf)], { cwd }),
  );
  for (const [entry, own] of Object.entries(ENTRY_POINTS)) {
    await step(`${specifierOf(entry)} loads with ${own.join(' and ') || 'no optional peer'}`, () =>
      withTraps(cwd, trapped(cwd, own), () => load(cwd, specifierOf(entry))),
    );
  }
}

function load(cwd, specifier) {
  return Promise.all([
    run('node', [...onlyCommonJs(cwd), '--eval', `require('${specifier}')`], { cwd }),
    run('node', ['--input-type=module', '--eval', `import '${specifier}'`], { cwd }),
  ]);
}

/** Every optional peer but these and what they are made of. */
function trapped(cwd, own) {
  const needed = new Set(own.flatMap((name) => [name, ...dependenciesOf(join(cwd, 'node_modules', name))]));
  const peers = Object.values(ENTRY_POINTS).flat();
  return [...new Set([...peers, ...NEVER_LOADED])].filter((name) => !needed.has(name));
}

function dependenciesOf(folder) {
  return Object.keys(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).dependencies ?? {});
}

async function checkEveryDeclaration(cwd) {
  const file = join(cwd, 'src', 'every-entry-point.ts');
  const imports = Object.keys(ENTRY_POINTS).map((entry) => `import '${specifierOf(entry)}';\n`);
  writeFileSync(file, imports.join(''));
  await checkDeclarations(cwd);
  rmSync(file);
}
