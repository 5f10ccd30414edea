import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

export interface PublicExport {
  readonly name: string;
  /** Where it is declared. */
  readonly file: string;
  /** Whether it is gone once compiled. */
  readonly typeOnly: boolean;
}

const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  exports: Record<string, { readonly import: { readonly default: string } }>;
};

/** As package.json names them: `.`, `./testing`, … */
export const ENTRY_POINTS: readonly string[] = Object.keys(exports).filter(
  (entry) => entry !== './package.json',
);

/** The source of an entry point, as `lib/testing/index.ts` of `./testing`. */
export function entryFile(entryPoint: string): string {
  const script = exports[entryPoint]?.import.default;
  if (script === undefined) throw new Error(`package.json exports no ${entryPoint}`);
  return script.replace('./dist/esm/', 'lib/').replace(/\.js$/, '.ts');
}

export function statementsOf(file: string): readonly ts.Statement[] {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true).statements;
}

/**
 * What an entry point exports.
 *
 * @throws if it exports something without its name, or declares it itself: no list could be read from it.
 */
export function exportsOf(entryPoint: string): readonly PublicExport[] {
  const index = entryFile(entryPoint);
  return statementsOf(index)
    .filter((statement) => !ts.isImportDeclaration(statement))
    .flatMap((statement) => {
      if (!ts.isExportDeclaration(statement)) throw new Error(`${index}: ${statement.getText()}`);
      const { exportClause, isTypeOnly, moduleSpecifier } = statement;
      if (!exportClause || !ts.isNamedExports(exportClause) || !moduleSpecifier)
        throw new Error(`${index} exports without naming: ${statement.getText()}`);
      const from = (moduleSpecifier as ts.StringLiteral).text.replace(/\.js$/, '.ts');
      return exportClause.elements.map((element) => ({
        name: element.name.text,
        file: join(dirname(index), from),
        typeOnly: isTypeOnly || element.isTypeOnly,
      }));
    });
}
