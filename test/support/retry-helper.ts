import ts from 'typescript';
import { snippetsOf } from './document-pages.js';

/** The retry helper of the documents. */
export interface RetryHelper {
  isConcurrent(error: unknown): boolean;
  runAgain<T>(transaction: () => Promise<T>, times?: number): Promise<T>;
}

export function retryHelperCode(): string {
  const code = [...snippetsOf('docs/transactions.md').values()].find((text) =>
    text.startsWith('// run-again.ts\n'),
  );
  if (code === undefined) throw new Error('docs/transactions.md has no run-again.ts.');
  return code;
}

export async function retryHelper(): Promise<RetryHelper> {
  const { outputText } = ts.transpileModule(retryHelperCode(), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  return (await import(`data:text/javascript,${encodeURIComponent(outputText)}`)) as RetryHelper;
}
