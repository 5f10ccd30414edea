import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageTree } from '../../../../lib/cli/project/package-tree.js';
import { missingPackages, peerPackages } from '../../../../lib/cli/project/peer-packages.js';
import { type PackageFacts } from '../../../../lib/cli/package-facts.js';

const facts: PackageFacts = {
  name: 'nestjs-payments',
  version: '1.0.0',
  engines: { node: '>=20.19' },
  peerDependencies: {
    '@nestjs/axios': '^4.0.0 || ^12.0.0',
    '@nestjs/config': '^4.0.0 || ^12.0.0',
    '@nestjs/core': '^11.0.0 || ^12.0.0',
    'class-validator': '^0.14.0 || ^0.15.0',
    pg: '^8.11.0',
  },
  peerDependenciesMeta: { pg: { optional: true } },
};
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payments-init-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(path: string, content: object = {}): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), JSON.stringify(content));
}

function install(versions: Readonly<Record<string, string>>): void {
  write('package.json', { dependencies: versions });
  for (const [name, version] of Object.entries(versions))
    write(`node_modules/${name}/package.json`, { name, version });
}

describe('missingPackages', () => {
  const missing = (): readonly string[] => missingPackages(packageTree(folder)!, facts);

  it('names what a new Nest 11 application lacks, in the versions that fit it', () => {
    install({ '@nestjs/core': '11.2.10' });
    expect(missing()).toEqual([
      'nestjs-payments',
      '@nestjs/axios@^4.0.0',
      '@nestjs/config@^4.0.0',
      'class-validator@^0.15.0',
      'axios@^1.3.1',
    ]);
  });

  it('names the newer versions if Nest is 12, and nothing optional', () => {
    install({ '@nestjs/core': '12.5.1', 'nestjs-payments': '1.0.0', axios: '1.21.1' });
    expect(missing()).toEqual(['@nestjs/axios@^12.0.0', '@nestjs/config@^12.0.0', 'class-validator@^0.15.0']);
  });

  it('names a package of another Nest, and one that has to be in package.json', () => {
    install({
      '@nestjs/core': '11.2.10',
      '@nestjs/axios': '4.0.1',
      '@nestjs/config': '12.0.1',
      axios: '1.21.1',
    });
    write('node_modules/class-validator/package.json', { version: '0.15.1' });
    write('node_modules/nestjs-payments/package.json', { version: '1.0.0' });
    expect(missing()).toEqual(['nestjs-payments', '@nestjs/config@^4.0.0']);
  });

  it('names @nestjs/config if it came as a peer alone: the application imports it itself', () => {
    install({ '@nestjs/core': '12.5.1', 'nestjs-payments': '1.0.0' });
    for (const [name, version] of [
      ['@nestjs/axios', '12.0.1'],
      ['@nestjs/config', '12.0.1'],
      ['class-validator', '0.15.1'],
      ['axios', '1.21.1'],
    ])
      write(`node_modules/${name}/package.json`, { name, version });
    expect(missing()).toEqual(['@nestjs/config@^12.0.0']);
  });

  it('goes by the Nest of package.json before it is installed', () => {
    write('package.json', { dependencies: { '@nestjs/core': '^11.0.1' } });
    expect(missing()).toContain('@nestjs/core@^11.0.0');
    expect(missing()).toContain('@nestjs/axios@^4.0.0');
  });

  it('leaves an older version alone that this package supports', () => {
    install({
      '@nestjs/core': '12.5.1',
      '@nestjs/axios': '12.0.1',
      '@nestjs/config': '12.0.1',
      'class-validator': '0.14.2',
      'nestjs-payments': '1.0.0',
      axios: '1.21.1',
    });
    expect(missing()).toEqual([]);
  });
});

describe('peerPackages', () => {
  const unfit = () =>
    peerPackages(packageTree(folder)!, facts)
      .filter(({ fits }) => !fits)
      .map(({ name, version = 'missing', range }) => `${name} ${version} ${range}`);
  const rest = { 'class-validator': '0.15.1', 'nestjs-payments': '1.0.0', axios: '1.21.1' };

  it.each([
    ['11.2.10', '12.0.1', ['@nestjs/axios 12.0.1 ^4.0.0', '@nestjs/config 12.0.1 ^4.0.0']],
    ['11.2.10', '4.0.1', []],
    ['12.5.1', '4.0.1', ['@nestjs/axios 4.0.1 ^12.0.0', '@nestjs/config 4.0.1 ^12.0.0']],
    ['12.5.1', '12.0.1', []],
    ['10.4.0', '4.0.1', ['@nestjs/core 10.4.0 ^11.0.0 || ^12.0.0']],
  ])('beside Nest %s, packages of version %s: %j', (nest, version, expected) => {
    install({ ...rest, '@nestjs/core': nest, '@nestjs/axios': version, '@nestjs/config': version });
    expect(unfit()).toEqual(expected);
  });

  it('takes the versions that this package loads, which pnpm may keep where the application cannot import them', () => {
    install({ '@nestjs/core': '11.2.10', 'nestjs-payments': '1.0.0' });
    for (const [name, version] of Object.entries({
      ...rest,
      '@nestjs/axios': '12.0.1',
      '@nestjs/config': '4.0.4',
    }))
      write(`node_modules/nestjs-payments/node_modules/${name}/package.json`, { name, version });
    write('node_modules/nestjs-payments/node_modules/@nestjs/axios/node_modules/axios/package.json', {
      version: '0.27.0',
    });
    expect(unfit()).toEqual(['@nestjs/axios 12.0.1 ^4.0.0', 'axios 0.27.0 ^1.3.1']);
  });

  it('does not miss an optional package, and finds one that does not fit', () => {
    install({
      ...rest,
      '@nestjs/core': '12.5.1',
      '@nestjs/axios': '12.0.1',
      '@nestjs/config': '12.0.1',
      pg: '7.0.0',
    });
    expect(unfit()).toEqual(['pg 7.0.0 ^8.11.0']);
  });
});
