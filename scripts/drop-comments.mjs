// Comments stay in the declarations, for editors. In the code they would only add size, and so would TypeScript's
// indentation of four spaces.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Rewrites every script of a folder without comments, indented with tabs. */
export function dropComments(folder) {
  const printer = ts.createPrinter({ removeComments: true });
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue;
    const file = join(folder, name);
    const parsed = (code) => ts.createSourceFile(file, code, ts.ScriptTarget.Latest);
    writeFileSync(file, withTabs(parsed(printer.printFile(parsed(readFileSync(file, 'utf8'))))));
  }
}

/** The lines that a template literal continues belong to its text, and stay as they are. */
function withTabs(source) {
  const inTemplates = new Set();
  const visit = (node) => {
    if (ts.isTemplateLiteralToken(node)) {
      const lineAt = (position) => source.getLineAndCharacterOfPosition(position).line;
      for (let line = lineAt(node.getStart(source)); line < lineAt(node.end); line++)
        inTemplates.add(line + 1);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return source.text
    .split('\n')
    .map((line, index) =>
      inTemplates.has(index) ? line : line.replace(/^(?: {4})+/, ({ length }) => '\t'.repeat(length / 4)),
    )
    .join('\n');
}
