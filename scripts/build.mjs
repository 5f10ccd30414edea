// Builds both copies of the package (dist/esm and dist/cjs) and links the package into its own
// node_modules, so that the sample resolves `nestjs-payments` as an installed package would.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dropComments } from './drop-comments.mjs';
import { dropDeclarations } from './drop-declarations.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const node = (...args) => {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};
const tsc = join('node_modules', 'typescript', 'bin', 'tsc');

rmSync(join(root, 'dist'), { recursive: true, force: true });
node(join('scripts', 'generate.mjs'));
node(tsc, '-p', 'tsconfig.build.json');
node(tsc, '-p', 'tsconfig.cjs.json');
dropComments(join(root, 'dist'));
for (const build of ['esm', 'cjs']) dropDeclarations(root, build);
writeFileSync(join(root, 'dist', 'cjs', 'package.json'), '{ "type": "commonjs" }\n');

const self = join(root, 'node_modules', 'nestjs-payments');
if (!existsSync(self)) symlinkSync('..', self, 'junction');
