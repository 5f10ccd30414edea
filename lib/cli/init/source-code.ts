import { basename } from 'node:path';
import type ts from 'typescript';
import { type Compiler } from './compiler.js';
import { NotEditableError } from './not-editable.error.js';
import { type SourceStyle, styleOf } from './source-style.js';
import { applyEdits, type TextEdit } from './text-edit.js';

/** A TypeScript file, possibly with edits. */
export interface SourceCode {
  readonly compiler: Compiler;
  readonly source: ts.SourceFile;
  /** The style of the file before the first edit. */
  readonly style: SourceStyle;
}

/** Parses a file, even with syntax errors. */
export function sourceCode(compiler: Compiler, file: string, text: string): SourceCode {
  const source = compiler.createSourceFile(file, text, compiler.ScriptTarget.Latest, true);
  return { compiler, source, style: styleOf(compiler, source) };
}

/** @throws NotEditableError if the file has syntax errors. */
export function editableCode(compiler: Compiler, file: string, text: string): SourceCode {
  const { diagnostics } = compiler.transpileModule(text, { fileName: file, reportDiagnostics: true });
  if (diagnostics && diagnostics.length > 0) {
    throw new NotEditableError(`TypeScript finds syntax errors in ${basename(file)}`);
  }
  return sourceCode(compiler, file, text);
}

export function edited({ compiler, source, style }: SourceCode, edits: readonly TextEdit[]): SourceCode {
  const inStyle = edits.map((edit) => ({ ...edit, text: edit.text.replaceAll(/\r?\n/g, style.newline) }));
  return { ...sourceCode(compiler, source.fileName, applyEdits(source.text, inStyle)), style };
}
