import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageTree } from '../../../../lib/cli/doctor/package-tree.js';
import { missingPackages } from '../../../../lib/cli/init/missing-packages.js';
import { installCommand } from '../../../../lib/cli/init/package-manager.js';
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
      'axios',
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
});

describe('installCommand', () => {
  it.each([
    ['package-lock.json', 'npm install axios pg'],
    ['npm-shrinkwrap.json', 'npm install axios pg'],
    ['yarn.lock', 'yarn add axios pg'],
    ['pnpm-lock.yaml', 'pnpm add axios pg'],
    ['bun.lock', 'bun add axios pg'],
    ['bun.lockb', 'bun add axios pg'],
  ])('goes by %s, in the folder or above', (lock, command) => {
    write(lock);
    write('apps/shop/package.json');
    expect(installCommand(folder, ['axios', 'pg'])).toBe(command);
    expect(installCommand(join(folder, 'apps', 'shop'), ['axios', 'pg'])).toBe(command);
  });

  it('goes by packageManager of package.json first, and is npm if nothing tells', () => {
    expect(installCommand(folder, ['pg'])).toBe('npm install pg');
    write('package-lock.json');
    write('package.json', { packageManager: 'pnpm@10.1.0+sha512.abc' });
    expect(installCommand(folder, ['pg'])).toBe('pnpm add pg');
  });

  it('goes by the lock file if packageManager of package.json is not text', () => {
    write('yarn.lock');
    write('package.json', { packageManager: { name: 'pnpm' } });
    expect(installCommand(folder, ['pg'])).toBe('yarn add pg');
  });
});
