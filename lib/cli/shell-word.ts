/** A word of a line that a person copies into a shell: quoted for a POSIX shell and for Windows', if it has to be. */
export function shellWord(text: string): string {
  return /^[\w./:@\\-]+$/.test(text) ? text : `"${text.replaceAll(/(["$`])/g, String.raw`\$1`)}"`;
}
