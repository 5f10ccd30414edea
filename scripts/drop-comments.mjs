// Comments stay in the declarations, where editors show them; in the code they would only weigh.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Writes every script of a folder anew, without comments. */
export function dropComments(folder) {
  const printer = ts.createPrinter({ removeComments: true });
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue;
    const file = join(folder, name);
    const code = readFileSync(file, 'utf8');
    writeFileSync(file, printer.printFile(ts.createSourceFile(file, code, ts.ScriptTarget.Latest)));
  }
}
