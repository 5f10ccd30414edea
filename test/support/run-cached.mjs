// Beside a program `name.cjs` as `name.mjs`: runs it with what V8 compiled for its first run, which this one keeps.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, Script } from 'node:vm';

const file = import.meta.filename.replace(/mjs$/, 'cjs');
const compiled = `${file}.compiled`;
const isFirst = !existsSync(compiled);
const program = new Script(
  `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'utf8')}\n})`,
  {
    filename: file,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    ...(isFirst ? {} : { cachedData: readFileSync(compiled) }),
  },
);
const module = { exports: {} };
program.runInThisContext()(module.exports, createRequire(file), module, file, import.meta.dirname);
await module.exports.ended;
if (isFirst) {
  // Renames it into place, so that a program that starts meanwhile never reads half of it.
  const draft = `${compiled}.${process.pid}`;
  writeFileSync(draft, program.createCachedData());
  renameSync(draft, compiled);
}
