// Comments stay in the declarations, for editors. In the code they would only add size.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Rewrites every script of a folder without comments. */
export function dropComments(folder) {
  const printer = ts.createPrinter({ removeComments: true });
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue;
    const file = join(folder, name);
    const code = readFileSync(file, 'utf8');
    writeFileSync(file, printer.printFile(ts.createSourceFile(file, code, ts.ScriptTarget.Latest)));
  }
}
