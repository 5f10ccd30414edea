/** A word of a line that a person copies into a shell: quoted if it has to be, for a POSIX shell or for those of Windows. */
export function shellWord(text: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32' ? windowsWord(text) : posixWord(text);
}

function posixWord(text: string): string {
  return /^[\w./:@-]+$/.test(text) ? text : `"${text.replaceAll(/(["$`\\])/g, String.raw`\$1`)}"`;
}

/** What cmd and PowerShell read in ways of their own also within quotation marks; PowerShell takes typographic ones for them, too. */
const ACTIVE_ON_WINDOWS = /[$`%"\u201C-\u201E\p{Cc}]/u;

/** PowerShell reads a word that begins with @, and a list with commas, in ways of its own. */
function windowsWord(text: string): string {
  if (/^[\w./:\\-]+$/.test(text)) return text;
  // No quoting means the same to both, and one of them would run a part of the word.
  if (ACTIVE_ON_WINDOWS.test(text)) return '"<quote it yourself>"';
  // A backslash before the last quotation mark would make it a part of the word.
  return `"${text.replace(/\\+$/, '$&$&')}"`;
}
