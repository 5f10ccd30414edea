import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.mjs';
import { ENTRY_POINTS, specifierOf } from './entry-points.mjs';

/** What every application can import. */
const WITHOUT_PEERS = Object.keys(ENTRY_POINTS)
  .filter((entry) => ENTRY_POINTS[entry].length === 0)
  .map(specifierOf);

/** Reads and compiles one application with the tarball in it: the same on every Node. */
export async function prepareApplication(step, { cwd, installed }) {
  await step('install', () => installed);
  await step("type check, with the package's own declarations", () => checkDeclarations(cwd));
  await step('production build', () => run('npm', ['run', '--silent', 'build'], { cwd }));
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
function checkCommonJs(cwd, env) {
  const load = (entry) => run('node', [...onlyCommonJs(cwd), '--eval', `require('${entry}')`], { cwd, env });
  return Promise.all(WITHOUT_PEERS.map(load));
}

/** Forbids Node to `require` ES modules, if Nest itself is none. */
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

/** The application and, as `skipLibCheck` would hide it, our own declarations; of other packages' ones this says nothing. */
export async function checkDeclarations(cwd) {
  const everything = ['--noEmit', '--skipLibCheck', 'false', '--pretty', 'false'];
  const told = await run('npx', ['--no', '--', 'tsc', ...everything], { cwd }).then(
    () => '',
    ({ message }) => message,
  );
  const problems = told.split('\n').filter((line) => /^\S.* error TS\d+:|^error TS/.test(line));
  if (told !== '' && problems.length === 0) throw new Error(told);
  const ours = problems.filter((line) => !/^node_modules\/(?!nestjs-payments\/)/.test(line));
  if (ours.length > 0) throw new Error(ours.join('\n'));
}
