import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.mjs';

const INSTALL = [
  'install',
  '--no-audit',
  '--no-fund',
  '--no-package-lock',
  '--ignore-scripts',
  '--prefer-offline',
];

/** Installs the tarball into one application and does with it what its developer would. */
export async function checkApplication(step, { application, tarball }) {
  const cwd = application;
  const script = (name) => run('npm', ['run', '--silent', name], { cwd });
  await step('install', () => run('npm', [...INSTALL, tarball], { cwd, timeoutMs: 300_000 }));
  await step('import and require give one copy of each entry point', () =>
    run(process.execPath, [join('checks', 'one-copy.mjs')], { cwd }),
  );
  await step('each entry point loads as CommonJS alone', () => checkCommonJs(cwd));
  await step('command line', () => checkBin(cwd));
  await step('type check', () => script('typecheck'));
  await step("type check of the package's own declarations", () => checkDeclarations(cwd));
  await step('e2e tests', () => script('test:e2e'));
  await step('production build', () => script('build'));
  await step('production start, payment and stop', () =>
    run(process.execPath, [join('checks', 'production.mjs')], { cwd, timeoutMs: 60_000 }),
  );
}

/** Where Node may not `require` ES modules, and in Jest, the CommonJS build is what is loaded. */
async function checkCommonJs(cwd) {
  const nest = JSON.parse(
    readFileSync(join(cwd, 'node_modules', '@nestjs', 'common', 'package.json'), 'utf8'),
  );
  const onlyCommonJs = nest.type === 'module' ? [] : ['--no-experimental-require-module'];
  for (const entry of ['nestjs-payments', 'nestjs-payments/testing', 'nestjs-payments/sandbox']) {
    await run(process.execPath, [...onlyCommonJs, '--eval', `require('${entry}')`], { cwd });
  }
}

async function checkBin(cwd) {
  const { version } = JSON.parse(
    readFileSync(join(cwd, 'node_modules', 'nestjs-payments', 'package.json'), 'utf8'),
  );
  const printed = await run('npx', ['--no', '--', 'nestjs-payments', '--version'], { cwd });
  if (printed.trim() !== version) throw new Error(`It printed '${printed.trim()}' instead of ${version}.`);
}

/** `skipLibCheck` hides errors in ours; of those in other packages' declarations this says nothing. */
async function checkDeclarations(cwd) {
  const everything = ['--noEmit', '--skipLibCheck', 'false', '--pretty', 'false'];
  const told = await run('npx', ['--no', '--', 'tsc', ...everything], { cwd }).catch(
    ({ message }) => message,
  );
  const ours = told.split('\n').filter((line) => line.startsWith('node_modules/nestjs-payments/'));
  if (ours.length > 0) throw new Error(ours.join('\n'));
}
