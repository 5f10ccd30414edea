import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Puts together one application: the source that all share, its own set-up, and the checks. */
export function assemble(here, { name, format }, application) {
  cpSync(join(here, 'application'), application, { recursive: true });
  if (format === 'CommonJS') dropEndings(application);
  cpSync(join(here, name), application, { recursive: true, filter: isSource });
  cpSync(join(here, 'checks'), join(application, 'checks'), { recursive: true });
}

/** An application in CommonJS names its files as `nest new` does. */
function dropEndings(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    writeFileSync(file, withoutEndings(readFileSync(file, 'utf8')));
  }
}

/** The source as an application in CommonJS imports its own files. */
export function withoutEndings(source) {
  return source.replaceAll(/((?:from|import) '\.{1,2}\/.+)\.js';/g, "$1';");
}

/** What an editor or a hand-made install left in the application stays behind. */
export function isSource(path) {
  return !/[\\/](node_modules|dist)$/.test(path);
}
