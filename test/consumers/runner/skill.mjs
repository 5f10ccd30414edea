import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run } from './command.mjs';
import { install } from './install.mjs';
import { withoutEndings } from './source.mjs';

const PACKAGE = 'nestjs-payments';
const SKILL = join('node_modules', PACKAGE, 'skills', PACKAGE, 'SKILL.md');

/** Does what the skill inside the tarball says, literally and in order, with what `nest new` makes. */
export async function checkSkill(step, { root, here, nest, skeleton, test, cwd, tarball, env }) {
  const npx = (...args) => run('npx', ['--no', '--', ...args], { cwd, env });
  cpSync(join(root, 'test', 'skeletons', skeleton), cwd, { recursive: true });
  cpSync(join(here, 'checks'), join(cwd, 'checks'), { recursive: true });
  await step('install what it names', async () => {
    const packages = packagesFor(nest, skillIn(join(root, 'skills', PACKAGE, 'SKILL.md')));
    await install(cwd, ...packages.map((name) => (name === PACKAGE ? tarball : name)));
  });
  await step('write its files', () => writeFiles(cwd, nest, skillIn(join(cwd, SKILL))));
  await step('type check', () => npx('tsc', '--noEmit'));
  await step('production build', () => run('npm', ['run', '--silent', 'build'], { cwd, env }));
  await step('its test', () => npx(...test, join('src', 'payments.spec.ts')));
  await step('keys of .env, payment, webhook and payout', () =>
    run('node', [join('checks', 'skill.mjs')], { cwd, env, timeoutMs: 60_000 }),
  );
}

const skillIn = (file) => readFileSync(file, 'utf8');

/** The command below the sentence that names this Nest. */
function packagesFor(nest, skill) {
  const [, packages] = new RegExp(`With Nest ${nest}:\n\n\`\`\`sh\nnpm install (.+)\n`).exec(skill) ?? [];
  if (packages === undefined) throw new Error(`It does not say what to install with Nest ${nest}.`);
  return packages.split(' ');
}

/** Each TypeScript block is a file that its first line names. With Nest 11 "leave out `.js`", as the skill says. */
function writeFiles(cwd, nest, skill) {
  const blocks = [...skill.matchAll(/^```ts\n(.*\n)([^]*?)^```$/gm)];
  for (const [, first, code] of blocks) {
    const [, path] = /^\/\/ (src\/[\w.-]+\.ts)\n$/.exec(first) ?? [];
    if (path === undefined) throw new Error(`A block does not begin with the path of its file: ${first}`);
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), nest === 11 ? withoutEndings(code) : code);
  }
  if (blocks.length < 7) throw new Error(`It has only ${blocks.length} blocks.`);
}
