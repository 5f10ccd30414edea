// In one process, `import` and `require` must give the same classes and tokens, or injection fails between them.
// Its arguments are the entry points to try.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
for (const entry of process.argv.slice(2)) {
  const imported = await import(entry);
  const required = require(entry);
  const names = Object.keys(imported);
  if (names.length === 0) throw new Error(`${entry} exports nothing.`);
  const differing = names.filter((name) => imported[name] !== required[name]);
  if (differing.length > 0) throw new Error(`${entry} comes in two copies: ${differing.join(', ')}.`);
}
