/** A shell command that sends exactly this body with these headers. */
export function curlCommand(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: { readonly file: string } | { readonly text: string },
): string {
  const data = 'file' in body ? `@${body.file}` : body.text;
  return [
    `curl ${quoted(url.href)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `--data-${'file' in body ? 'binary' : 'raw'} ${quoted(data)}`,
  ].join(' \\\n  ');
}

/** Quotes a word for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
