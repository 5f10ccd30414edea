import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './command.mjs';
import { install } from './install.mjs';

/** Each way to keep packages, and how its users run a program of one. */
const MANAGERS = [
  { name: "Yarn Plug'n'Play", program: 'yarn', exec: ['yarn'], files: { 'yarn.lock': '' } },
  {
    name: 'Yarn with node_modules',
    program: 'yarn',
    exec: ['yarn'],
    files: { 'yarn.lock': '', '.yarnrc.yml': 'nodeLinker: node-modules\n' },
  },
  { name: 'pnpm', program: 'pnpm', exec: ['pnpm', 'exec'], files: {} },
  { name: 'Bun', program: 'bun', exec: ['bunx'], files: {} },
];
/** The last of pnpm that runs on the oldest Node. */
const PROGRAMS = ['@yarnpkg/cli-dist@4', 'pnpm@10', 'bun@1'];
const YARN = {
  // `CI` is set: Yarn would refuse to write its lockfile.
  YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
  // No search service for `@types`, no telemetry.
  YARN_TS_ENABLE_AUTO_TYPES: 'false',
  YARN_ENABLE_TELEMETRY: 'false',
};

/** `doctor` and `init` in what `nest new` makes, installed by each package manager: they find the packages that are there. */
export async function checkPackageManagers(report, { skeleton, work, tarball }) {
  const programs = join(work, 'package-managers');
  // Yarn asks the registry that npm asks, and no mirror of it.
  const registry = await run('npm', ['config', 'get', 'registry'], { cwd: work });
  const PATH = `${join(programs, 'node_modules', '.bin')}${delimiter}${process.env.PATH}`;
  const env = { ...YARN, YARN_NPM_REGISTRY_SERVER: registry.trim(), PATH };
  const isThere = await report.steps('package managers', (step) =>
    step('are there', async () => {
      mkdirSync(programs);
      writeFileSync(join(programs, 'package.json'), '{}');
      await install(programs, ...PROGRAMS);
      // Puts the program of the platform's package, which npm has installed, in its place.
      await run('node', ['install.js'], { cwd: join(programs, 'node_modules', 'bun') });
    }),
  );
  for (const manager of isThere ? MANAGERS : []) {
    const cwd = join(work, manager.name.replaceAll(/\W+/g, '-'));
    assemble(manager, { skeleton, cwd, tarball });
    await report.steps(manager.name, (step) => checkManager(step, manager, { cwd, env }));
  }
}

/** Without what an application needs to lint and test itself. */
function assemble({ files }, { skeleton, cwd, tarball }) {
  cpSync(skeleton, cwd, { recursive: true });
  const place = join(cwd, 'package.json');
  const manifest = JSON.parse(readFileSync(place, 'utf8'));
  const { typescript } = manifest.devDependencies;
  const dependencies = { ...manifest.dependencies, 'nestjs-payments': `file:${tarball}` };
  writeFileSync(place, JSON.stringify({ ...manifest, dependencies, devDependencies: { typescript } }));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(cwd, file), text);
}

async function checkManager(step, { program, exec: [command, ...words] }, surroundings) {
  const payments = (...args) => run(command, [...words, 'nestjs-payments', ...args], surroundings);
  /** The doctor misses variables, so it ends with 1. */
  const packages = async () => {
    const told = await payments('doctor', '--json').catch(({ message }) => message);
    const line = told.split('\n').find((one) => one.startsWith('{"name":"Packages"'));
    if (line === undefined) throw new Error(`It says nothing of the packages:\n${told}`);
    return JSON.parse(line);
  };
  await step('install', () => run(program, ['install'], surroundings));
  await step('doctor says what to install', async () => {
    const { state, detail, fix } = await packages();
    if (/@nestjs\/(core|common) is missing/.test(detail)) throw new Error(detail);
    if (state !== 'failed' || !fix.startsWith(`${program} add @nestjs/axios@^4.0.0 @nestjs/config@^4.0.0`))
      throw new Error(`${state}: ${detail}\n${fix}`);
  });
  await step('init installs it', () => payments('init', '--install'));
  await step('doctor finds it', async () => {
    const { state, detail } = await packages();
    if (state !== 'ok' || !detail.includes('@nestjs/axios 4.')) throw new Error(`${state}: ${detail}`);
  });
  await step('init changes nothing the second time', async () => {
    const printed = await payments('init');
    if (printed.trim() !== '') throw new Error(`It changed:\n${printed}`);
  });
}
