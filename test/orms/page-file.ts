import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What a file of a page exports, which is written into a folder below `test/orms`, so that it finds the ORMs. */
export async function fileOfOrmPage<Exports>(
  name: string,
  folder: string,
  adapt: (code: string) => string = (code) => code,
  place = 'docs/orm.md',
): Promise<Exports> {
  const page = readFileSync(place, 'utf8');
  const [, code] = new RegExp(`\`\`\`ts\\n(// ${name}\\n[\\s\\S]*?)\`\`\``).exec(page) ?? [];
  if (code === undefined) throw new Error(`${place} has no ${name}.`);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, adapt(code));
  return (await import(pathToFileURL(file).href)) as Exports;
}
