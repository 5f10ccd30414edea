import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.mjs';
import { reach } from './reach.mjs';

const MAX_TARBALL_BYTES = 500_000;
const EXPECTED =
  /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|dist\/cjs\/package\.json|dist\/(esm|cjs)\/.+\.(js|d\.ts))$/;
const BUILDS = ['esm', 'cjs'];
/** Each entry point, and the optional peers that whoever imports it has. */
const ENTRY_POINTS = {
  index: [],
  'testing/index': [],
  'sandbox/index': [],
  'redis/index': ['ioredis'],
  'postgres/index': [],
  'terminus/index': ['@nestjs/terminus'],
  'opentelemetry/index': ['@opentelemetry/api'],
};

/** Builds and packs; resolves to the tarball's path. */
export async function pack(root, destination) {
  await run('npm', ['pack', '--pack-destination', destination], { cwd: root });
  const [tarball] = readdirSync(destination).filter((file) => file.endsWith('.tgz'));
  return join(destination, tarball);
}

/** What can be said of the tarball before anyone installs it. */
export async function checkPackage(step, { root, tarball, work }) {
  const content = join(work, 'package');
  await step('weighs under 500 kB', () => checkSize(tarball));
  await step('holds the two builds and nothing else', async () => {
    await run('tar', ['-xzf', tarball, '-C', work], { cwd: work });
    checkContent(content, root);
  });
  await step('leaks no optional peer, neither in types nor at run time', () => checkReach(content));
  await step('pleases publint', () =>
    run('npx', ['--no', '--', 'publint', tarball, '--strict'], { cwd: root }),
  );
  // All of attw's rules in all four resolutions; old `node10` gets there by `typesVersions`.
  await step('pleases attw', () =>
    run('npx', ['--no', '--', 'attw', tarball, '--profile', 'strict', '--format', 'ascii', '--no-emoji'], {
      cwd: root,
    }),
  );
}

function checkSize(tarball) {
  const { size } = statSync(tarball);
  if (size >= MAX_TARBALL_BYTES) throw new Error(`It weighs ${size} bytes.`);
}

function checkContent(content, root) {
  const files = readdirSync(content, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const unexpected = files
    .map((file) => file.slice(content.length + 1))
    .filter((file) => !EXPECTED.test(file));
  if (unexpected.length > 0) throw new Error(`It also holds ${unexpected.join(', ')}.`);
  for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md']) statSync(join(content, name));
  const telling = files.filter((file) => {
    const text = readFileSync(file, 'utf8');
    return text.includes(root) || text.includes('//# sourceMappingURL=');
  });
  if (telling.length > 0)
    throw new Error(`A path of this machine or a source map is named in ${telling.join(', ')}.`);
}

/** No entry point names another's files or a package that a user need not have. */
function checkReach(content) {
  const {
    dependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = JSON.parse(readFileSync(join(content, 'package.json'), 'utf8'));
  const mandatory = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  const allowed = new Set([...Object.keys(dependencies), ...mandatory]);
  const problems = [];
  for (const build of BUILDS) {
    for (const [entry, peers] of Object.entries(ENTRY_POINTS)) {
      for (const ending of ['.js', '.d.ts']) {
        const { files, packages } = reach(join(content, 'dist', build, `${entry}${ending}`));
        const where = `dist/${build}/${entry}${ending}`;
        for (const name of packages)
          if (!allowed.has(name) && !peers.includes(name)) problems.push(`${where} reaches ${name}`);
        if (entry !== 'index') continue;
        for (const file of files) {
          if (/[\\/](testing|sandbox|cli|redis|postgres|bullmq|terminus|opentelemetry)[\\/]/.test(file))
            problems.push(`${where} reaches ${file}`);
        }
      }
    }
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
}
