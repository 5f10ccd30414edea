import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './command.mjs';
import { checkReach, checkTypes, checkUse } from './entry-point-files.mjs';
import { checkLinks } from './packed-links.mjs';
import { checkPublished } from './published.mjs';

// The emulator's page, its state, seed files and remote access, the executors of ORMs and the documents are in it. It
// was 1,250,000 before the daily close, its command and its pages.
const MAX_TARBALL_BYTES = 1_650_000;
const EXPECTED =
  /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|dist\/cjs\/package\.json|dist\/(esm|cjs)\/.+\.(js|d\.ts)|dist\/esm\/sandbox\/seed-file\.schema\.json|dist\/esm\/shared\/(yaml|tinyexec)\.LICENSE\.txt|docs\/.+\.(md|svg|webp)|skills\/nestjs-payments\/SKILL\.md)$/;

/** Builds and packs; resolves to the tarball's path. */
export async function pack(root, destination) {
  await run('npm', ['pack', '--pack-destination', destination], { cwd: root });
  const [tarball] = readdirSync(destination).filter((file) => file.endsWith('.tgz'));
  return join(destination, tarball);
}

/** What can be said of the tarball before anyone installs it. */
export async function checkPackage(step, { root, tarball, work }) {
  const content = join(work, 'package');
  await step(`weighs under ${MAX_TARBALL_BYTES / 1_000} kB`, () => checkSize(tarball));
  await step('holds the two builds, the documents, the skill and nothing else', async () => {
    await run('tar', ['-xzf', tarball, '-C', work], { cwd: work });
    checkContent(content, root);
  });
  await step('has no dead link in its documents', () => checkLinks(content, root));
  await step('is registered by npm as it is packed', () => checkPublished({ tarball, content, work }));
  await step('leaks no optional peer, neither in types nor at run time', () => checkReach(content));
  await step('hides nothing behind any', () => checkTypes(content));
  await step('describes nothing that nobody can import', () => checkUse(content));
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
  for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md', 'skills/nestjs-payments/SKILL.md'])
    statSync(join(content, name));
  const telling = files.filter((file) => {
    const text = readFileSync(file, 'utf8');
    return text.includes(root) || text.includes('//# sourceMappingURL=');
  });
  if (telling.length > 0)
    throw new Error(`A path of this machine or a source map is named in ${telling.join(', ')}.`);
}
