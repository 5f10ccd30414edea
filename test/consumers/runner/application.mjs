import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.mjs';
import { ENTRY_POINTS, specifierOf } from './entry-points.mjs';
import { install } from './install.mjs';

/** What anybody can import. */
const WITHOUT_PEERS = Object.keys(ENTRY_POINTS)
  .filter((entry) => ENTRY_POINTS[entry].length === 0)
  .map(specifierOf);

/** Installs the tarball into one application, and reads and compiles it: the same on every Node. */
export async function prepareApplication(step, { cwd, tarball }) {
  const script = (name) => run('npm', ['run', '--silent', name], { cwd });
  await step('install', () => install(cwd, tarball));
  await step('type check', () => script('typecheck'));
  await step("type check of the package's own declarations", () => checkDeclarations(cwd));
  await step('production build', () => script('build'));
  await step('a second copy is named at boot', () =>
    run(process.execPath, [join('checks', 'second-copy.mjs')], { cwd }),
  );
}

/** What one Node makes of the installed package, whatever the application listens with. */
export async function checkOnNode(step, { cwd, env }) {
  await step('import and require give one copy of each entry point', () =>
    run('node', [join('checks', 'one-copy.mjs'), ...WITHOUT_PEERS], { cwd, env }),
  );
  await step('each entry point loads as CommonJS alone', () => checkCommonJs(cwd, env));
  await step('command line', () => checkBin(cwd, env));
}

/** What its developer would do with it: run the tests, and start it in production. */
export async function checkCell(step, { cwd, env, tests, impossible }) {
  const script = (name) => run('npm', ['run', '--silent', name], { cwd, env });
  if (impossible === undefined) await step('tests', () => script(tests));
  else {
    await step('tests that cannot run there', () => mustFail(() => script(tests), impossible.message));
    await step('tests', () => script(impossible.instead));
  }
  await step('production start, payment and stop', () =>
    run('node', [join('checks', 'production.mjs')], { cwd, env, timeoutMs: 60_000 }),
  );
}

async function mustFail(attempt, reason) {
  const told = await attempt().then(
    () => undefined,
    ({ message }) => message,
  );
  if (told === undefined) throw new Error('They passed: take the note out of matrix.mjs and the README.');
  if (!reason.test(told)) throw new Error(`They failed for another reason than ${reason}:\n${told}`);
}

/** Where Node may not `require` ES modules, and in Jest, the CommonJS build is what is loaded. */
async function checkCommonJs(cwd, env) {
  for (const entry of WITHOUT_PEERS) {
    await run('node', [...onlyCommonJs(cwd), '--eval', `require('${entry}')`], { cwd, env });
  }
}

/** Forbids Node to `require` ES modules, where Nest itself is none. */
export function onlyCommonJs(cwd) {
  const nest = JSON.parse(
    readFileSync(join(cwd, 'node_modules', '@nestjs', 'common', 'package.json'), 'utf8'),
  );
  return nest.type === 'module' ? [] : ['--no-experimental-require-module'];
}

async function checkBin(cwd, env) {
  const { version } = JSON.parse(
    readFileSync(join(cwd, 'node_modules', 'nestjs-payments', 'package.json'), 'utf8'),
  );
  const printed = await run(join('node_modules', '.bin', 'nestjs-payments'), ['--version'], { cwd, env });
  if (printed.trim() !== version) throw new Error(`It printed '${printed.trim()}' instead of ${version}.`);
}

/** `skipLibCheck` hides errors in ours; of those in other packages' declarations this says nothing. */
export async function checkDeclarations(cwd) {
  const everything = ['--noEmit', '--skipLibCheck', 'false', '--pretty', 'false'];
  const told = await run('npx', ['--no', '--', 'tsc', ...everything], { cwd }).catch(
    ({ message }) => message,
  );
  const ours = told.split('\n').filter((line) => line.startsWith('node_modules/nestjs-payments/'));
  if (ours.length > 0) throw new Error(ours.join('\n'));
}
