import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { projectProblems } from '../support/compiler-problems.js';
import { wholeSnippets } from '../support/document-pages.js';

/** Below this folder, where the snippets find the ORMs. */
const FOLDER = join(process.cwd(), 'test', 'orms', 'dist', 'page-types');
const ORM =
  /from '(?:typeorm|@nestjs\/typeorm|@nestjs-cls|#?prisma|@prisma|drizzle-orm|kysely|knex|@mikro-orm|sequelize|mysql2)/;

afterAll(() => {
  rmSync(FOLDER, { recursive: true });
});

it('what the documents show of ORMs compiles with the types of the installed packages', async () => {
  mkdirSync(FOLDER, { recursive: true });
  const snippets = [...wholeSnippets()].filter(([, code]) => ORM.test(code));
  for (const [name, code] of snippets) writeFileSync(join(FOLDER, name), code);
  const tsconfig = {
    extends: '../../../../tsconfig.json',
    compilerOptions: { noUnusedLocals: false },
    include: ['*.ts'],
  };
  writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify(tsconfig));
  expect(snippets.length).toBeGreaterThan(10);
  expect(await projectProblems(join(FOLDER, 'tsconfig.json'))).toEqual([]);
});
