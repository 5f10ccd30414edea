/** Where the README stops to speak to the users of the npm package. */
const END = '\n## In a clone\n';
const TERMINAL = 'sh';

/**
 * The blocks of the README that a user copies, in order: `{ file, code }` of a source file, `{ command, before }` of a
 * line for the terminal with the text above it.
 *
 * @throws if a block names no file, or holds several commands.
 */
export function blocksOf(readme) {
  const end = readme.indexOf(END);
  if (end < 0) throw new Error(`README.md has no section${END}`);
  const found = [...readme.slice(0, end).matchAll(/([^\n]*)\n\n```(\w+)\n([\s\S]*?)```/g)];
  if (found.length === 0) throw new Error('README.md has no blocks.');
  return found.map(([, before, language, text]) =>
    language === TERMINAL ? commandIn(text, before) : fileIn(text),
  );
}

function commandIn(text, before) {
  const [command, ...more] = text.trim().split('\n');
  if (more.length > 0) throw new Error(`One command a block, so that each can be copied:\n${text}`);
  return { command, before };
}

function fileIn(text) {
  const [, file, code] = /^\/\/ (\S+\.ts)\n([\s\S]*)$/.exec(text) ?? [];
  if (file === undefined) throw new Error(`The first line of a block names its file:\n${text}`);
  return { file, code };
}
