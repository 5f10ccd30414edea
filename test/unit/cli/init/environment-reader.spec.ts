import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { environmentReaderIn } from '../../../../lib/cli/init/environment-reader.js';

describe('environmentReaderIn', () => {
  const reader = (text: string): string | undefined =>
    environmentReaderIn([{ file: 'main.ts', text }], ts)?.code;

  it.each([
    ["import 'dotenv/config';", 'dotenv/config'],
    ["import 'dotenv/config.js';", 'dotenv/config.js'],
    ["import * as dotenv from 'dotenv';", 'dotenv'],
    ["require('dotenv').config();", 'dotenv'],
    ["import { expand } from 'dotenv-expand';", 'dotenv-expand'],
    ['process.loadEnvFile();', 'loadEnvFile'],
    ["import { loadEnvFile } from 'node:process';", 'loadEnvFile'],
    ['@Module({ imports: [ConfigModule.forRoot()] }) class A {}', 'ConfigModule.forRoot'],
    ['config.ConfigModule\n  .forRoot({ isGlobal: true })', 'ConfigModule.forRoot'],
    ['ConfigModule.forRoot({ ignoreEnvFile: false })', 'ConfigModule.forRoot'],
    ['ConfigModule.forRoot({ ignoreEnvFile: process.env.CI })', 'ConfigModule.forRoot'],
  ])('finds that %j reads .env', (text, code) => {
    expect(reader(text)).toBe(code);
  });

  it.each([
    '',
    "// import 'dotenv/config';",
    '/** Once ConfigModule.forRoot() or loadEnvFile() did it. */',
    "import type { DotenvParseOutput } from 'dotenv';",
    "throw new Error('dotenv is not here');",
    'ConfigModule.forRoot({ ignoreEnvFile: true })',
    'ConfigModule.forFeature(shop)',
  ])('finds nothing in %j', (text) => {
    expect(reader(text)).toBeUndefined();
  });

  it('names the module before a script, which the application does not start', () => {
    const files = [
      { file: 'a-seed.ts', text: "import 'dotenv/config';" },
      { file: 'app.module.ts', text: 'ConfigModule.forRoot()' },
    ];
    expect(environmentReaderIn(files, ts)?.file).toBe('app.module.ts');
    expect(environmentReaderIn(files.slice(0, 1), ts)?.file).toBe('a-seed.ts');
  });
});
