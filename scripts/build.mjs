// Builds both copies of the package (dist/esm and dist/cjs) and links the package into its own node_modules,
// so that the sample resolves `nestjs-payments` like an installed package.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';
import { dropComments } from './drop-comments.mjs';
import { dropDeclarations } from './drop-declarations.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const node = (...args) => {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
};

rmSync(dist, { recursive: true, force: true });
node(join('scripts', 'generate.mjs'));
// TypeScript 7 writes the same code as 6, which the linter needs, in a sixth of the time.
node(join('node_modules', 'typescript-native', 'bin', 'tsc'), '-p', 'tsconfig.build.json');
dropDeclarations(root);
cpSync(join(dist, 'esm'), join(dist, 'cjs'), { recursive: true });
for (const build of ['esm', 'cjs']) {
  await bundle(root, join(dist, 'modules'), build);
  dropComments(join(dist, build));
}
// The build of the command line includes these packages, whose licenses ask for their text.
for (const name of ['yaml', 'tinyexec']) {
  cpSync(join(root, 'node_modules', name, 'LICENSE'), join(dist, 'esm', 'shared', `${name}.LICENSE.txt`));
}
const { WORLD_SCHEMA } = await import(
  pathToFileURL(join(dist, 'modules', 'sandbox', 'world', 'world-form.js'))
);
writeFileSync(join(dist, 'esm', 'sandbox', 'seed-file.schema.json'), `${JSON.stringify(WORLD_SCHEMA)}\n`);
writeFileSync(join(dist, 'cjs', 'package.json'), '{ "type": "commonjs" }\n');

const self = join(root, 'node_modules', 'nestjs-payments');
if (!existsSync(self)) symlinkSync('..', self, 'junction');
