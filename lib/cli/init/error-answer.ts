/** What an exception filter has to catch to answer the errors of this package, or what the interceptor makes of them. */
const CAUGHT = String.raw`HttpException|Error|Payments?\w*Error|Gateway\w+Error|ReferenceReusedError`;
const CODE = new RegExp(
  String.raw`\bPaymentsErrorInterceptor\b|\bAPP_FILTER\b|\buseGlobalFilters\b|@Catch\(\s*\)|@Catch\([^)]*\b(?:${CAUGHT})\b[^)]*\)`,
);

/** Code that decides how errors are answered. */
export interface ErrorAnswer {
  readonly file: string;
  /** What is in the file, such as `APP_FILTER` or `@Catch()`. */
  readonly code: string;
}

/** Finds the first code that answers errors of every kind. A filter of other errors, `@Catch(TypeError)`, leaves them alone. */
export function errorAnswerIn(
  files: readonly { readonly file: string; readonly text: string }[],
): ErrorAnswer | undefined {
  for (const { file, text } of files) {
    const [code] = CODE.exec(text) ?? [];
    if (code !== undefined) return { file, code: code.replaceAll(/\s+/g, ' ') };
  }
  return undefined;
}
