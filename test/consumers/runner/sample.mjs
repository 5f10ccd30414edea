import { cpSync } from 'node:fs';
import { run } from './command.mjs';
import { install } from './install.mjs';
import { isSource } from './source.mjs';

/** Installs the tarball into a sample that has its own packages, and does with it what its README tells. */
export async function checkSample(step, { sample, cwd, tarball }) {
  const script = (name) => run('npm', ['run', '--silent', name], { cwd });
  cpSync(sample, cwd, { recursive: true, filter: isSource });
  await step('install', () => install(cwd, tarball));
  await step('type check', () => script('typecheck'));
  await step('tests', () => script('test'));
  await step('e2e tests', () => script('test:e2e'));
  await step('production build', () => script('build'));
  await step('init finds everything there', async () => {
    const printed = await run('npx', ['--no', '--', 'nestjs-payments', 'init', '--dry-run'], { cwd });
    if (printed !== '') throw new Error(`It would change:\n${printed}`);
  });
}
