import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.mjs';
import { install } from './install.mjs';

/** Installs the tarball into what `nest new` makes, and has `init` set it up. */
export async function checkNewApplication(step, { here, skeleton, cwd, tarball }) {
  const npx = (...args) => run('npx', ['--no', '--', ...args], { cwd });
  cpSync(skeleton, cwd, { recursive: true });
  cpSync(join(here, 'checks'), join(cwd, 'checks'), { recursive: true });
  await step('install', () => install(cwd, tarball));
  await step('init', () => npx('nestjs-payments', 'init'));
  await step('init changes nothing the second time', async () => {
    const printed = await npx('nestjs-payments', 'init');
    if (printed !== '') throw new Error(`It changed:\n${printed}`);
  });
  await step('type check', () => npx('tsc', '--noEmit'));
  await step('production build', () => run('npm', ['run', '--silent', 'build'], { cwd }));
  await step('keys of .env, payment and webhook', () =>
    run('node', [join('checks', 'new-application.mjs')], { cwd, timeoutMs: 60_000 }),
  );
}
