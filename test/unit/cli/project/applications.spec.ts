import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FoundApplications, findApplications } from '../../../../lib/cli/project/applications.js';
import { asNobody } from '../../../support/as-nobody.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payments-applications-'));
  chmodSync(folder, 0o755);
  write('package.json', '{ "workspaces": ["apps/*"] }');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function addApplication(at: string, name: string): void {
  write(`${at}/package.json`, JSON.stringify({ name, dependencies: { '@nestjs/core': '12.0.0' } }));
  write(`${at}/src/main.ts`, "import { NestFactory } from '@nestjs/core';");
}

const found = (project?: string): FoundApplications => findApplications(folder, project);
const namesOf = ({ meant }: FoundApplications): readonly string[] => meant.map(({ name }) => name);

describe('findApplications', () => {
  it('passes over a folder that the user may not read, as the data of a database in a volume', () => {
    addApplication('apps/shop', 'shop');
    write('data/postgres/base/1', '');
    const volume = join(folder, 'data', 'postgres');
    chmodSync(volume, 0o000);
    try {
      expect(namesOf(asNobody(found))).toEqual(['shop']);
    } finally {
      chmodSync(volume, 0o700);
    }
  });

  it.each(['node_modules', 'dist', '.git'])('does not look into %s', (name) => {
    addApplication('apps/shop', 'shop');
    addApplication(`${name}/copy`, 'copy');
    expect(namesOf(found())).toEqual(['shop']);
  });

  it('finds an application without the scope of its package', () => {
    addApplication('apps/office', '@acme/office');
    addApplication('apps/main', '@acme/shop');
    expect(namesOf(found('shop'))).toEqual(['@acme/shop']);
    expect(namesOf(found('@acme/shop'))).toEqual(['@acme/shop']);
    expect(namesOf(found('op'))).toEqual([]);
  });

  it('takes the whole name first, and chooses none of two scopes', () => {
    addApplication('apps/one', '@acme/shop');
    addApplication('apps/two', '@other/shop');
    expect(namesOf(found('shop'))).toEqual(['@acme/shop', '@other/shop']);
    addApplication('apps/three', 'shop');
    expect(namesOf(found('shop'))).toEqual(['shop']);
  });
});
