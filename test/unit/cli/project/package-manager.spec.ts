import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageManagerOf } from '../../../../lib/cli/project/package-manager.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'payments-manager-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function write(path: string, content: object = {}): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), JSON.stringify(content));
}

function nameOf(environment: NodeJS.ProcessEnv = {}, project = folder): string {
  return packageManagerOf(project, folder, environment).name;
}

describe('packageManagerOf', () => {
  it.each([
    ['package-lock.json', 'npm'],
    ['npm-shrinkwrap.json', 'npm'],
    ['yarn.lock', 'yarn'],
    ['pnpm-lock.yaml', 'pnpm'],
    ['bun.lock', 'bun'],
    ['bun.lockb', 'bun'],
  ])('goes by %s, in the folder or above', (lock, name) => {
    write(lock);
    write('apps/shop/package.json');
    expect(nameOf()).toBe(name);
    expect(nameOf({}, join(folder, 'apps', 'shop'))).toBe(name);
  });

  it('goes by packageManager of package.json first', () => {
    write('package-lock.json');
    write('package.json', { packageManager: 'pnpm@10.1.0+sha512.abc' });
    expect(nameOf({ npm_config_user_agent: 'yarn/4.0.0 npm/? node/v20.19.0 linux x64' })).toBe('pnpm');
  });

  it.each([{ name: 'pnpm', version: '^10.0.0' }, [{ name: 'pnpm' }]])(
    'goes by devEngines.packageManager of package.json, in the form of npm: %j',
    (packageManager) => {
      write('package-lock.json');
      write('package.json', { devEngines: { packageManager } });
      expect(nameOf()).toBe('pnpm');
    },
  );

  it.each([{ devEngines: { packageManager: [null, 1] } }, { devEngines: null }])(
    'goes by the lock file if devEngines says nothing: %j',
    (manifest) => {
      write('yarn.lock');
      write('package.json', manifest);
      expect(nameOf()).toBe('yarn');
    },
  );

  it('goes by the lock file if packageManager of package.json is not text', () => {
    write('yarn.lock');
    write('package.json', { packageManager: { name: 'pnpm' } });
    expect(nameOf()).toBe('yarn');
  });

  it('goes by who runs the command if no file tells, and is npm at last', () => {
    expect(nameOf({ npm_config_user_agent: 'bun/1.2.0 npm/? node/v24.0.0 linux x64' })).toBe('bun');
    expect(nameOf({ npm_config_user_agent: 'deno/2.0.0' })).toBe('npm');
    expect(nameOf()).toBe('npm');
  });

  it.each([
    ['npm', 'npm install pg', 'npx nestjs-payments doctor', 'npm run test'],
    ['yarn', 'yarn add pg', 'yarn nestjs-payments doctor', 'yarn run test'],
    ['pnpm', 'pnpm add pg', 'pnpm exec nestjs-payments doctor', 'pnpm run test'],
    ['bun', 'bun add pg', 'bunx nestjs-payments doctor', 'bun run test'],
  ])('spells the commands of %s', (name, install, exec, script) => {
    write('package.json', { packageManager: `${name}@9.0.0` });
    const manager = packageManagerOf(folder, folder, {});
    expect([manager.install(['pg']), manager.exec('doctor'), manager.script('test')]).toEqual([
      install,
      exec,
      script,
    ]);
  });

  it('leads to the folder of the application if the command runs elsewhere', () => {
    write('apps/shop/package.json');
    const shop = join(folder, 'apps', 'shop');
    expect(packageManagerOf(shop, folder, {}).install(['pg'])).toBe('cd apps/shop && npm install pg');
    expect(packageManagerOf(folder, shop, {}).install(['pg'])).toBe('cd ../.. && npm install pg');
  });

  it('quotes a folder with a space', () => {
    write('apps/my shop/package.json');
    const manager = packageManagerOf(join(folder, 'apps', 'my shop'), folder, {});
    expect(manager.install(['pg'])).toBe('cd "apps/my shop" && npm install pg');
    expect(manager.execThere('doctor')).toBe('cd "apps/my shop" && npx nestjs-payments doctor');
  });

  it.each([
    ['npm', {}, 'npx nestjs-payments init'],
    ['bun', {}, 'bunx nestjs-payments init'],
    ['yarn', {}, 'yarn add nestjs-payments && yarn nestjs-payments init'],
    ['pnpm', {}, 'pnpm add nestjs-payments && pnpm exec nestjs-payments init'],
    ['yarn', { dependencies: { 'nestjs-payments': '^1.0.0' } }, 'yarn nestjs-payments init'],
    ['pnpm', { devDependencies: { 'nestjs-payments': '^1.0.0' } }, 'pnpm exec nestjs-payments init'],
  ])('adds the package where %s runs only what package.json names, as in %j', (name, named, line) => {
    write('package.json', { packageManager: `${name}@9.0.0`, ...named });
    expect(packageManagerOf(folder, folder, {}).execThere('init')).toBe(line);
  });

  it.each([
    ['its version', { packageManager: 'yarn@1.22.22' }, undefined, {}, true],
    ['its version', { packageManager: 'yarn@4.9.0' }, undefined, {}, false],
    [
      'its range',
      { devEngines: { packageManager: { name: 'yarn', version: '^1.22.0' } } },
      undefined,
      {},
      true,
    ],
    ['its lock file', {}, '# yarn lockfile v1\n\n\npg@^8.0.0:\n  version "8.0.0"\n', {}, true],
    ['its lock file', {}, '# This file is generated by Yarn.\n\n__metadata:\n  version: 8\n', {}, false],
    ['a lock file without a line', {}, '', {}, false],
    ['the process', {}, undefined, { npm_config_user_agent: 'yarn/1.22.22 npm/? node/v20.19.0' }, true],
    ['the process', {}, undefined, { npm_config_user_agent: 'yarn/4.9.0 npm/? node/v20.19.0' }, false],
  ])('knows Yarn 1, which has no dedupe, by %s', (_what, manifest, lock, environment, isYarn1) => {
    write('package.json', manifest);
    if (lock !== undefined) writeFileSync(join(folder, 'yarn.lock'), lock);
    expect(packageManagerOf(folder, folder, environment)).toMatchObject({
      name: 'yarn',
      dedupe: isYarn1 ? 'npx yarn-deduplicate && yarn install' : 'yarn dedupe',
    });
  });

  it('tells pnpm that the root of a workspace is meant', () => {
    write('pnpm-lock.yaml');
    write('pnpm-workspace.yaml');
    expect(packageManagerOf(folder, folder, {}).add(['pg'])).toEqual([
      'pnpm',
      'add',
      '--workspace-root',
      'pg',
    ]);
    expect(packageManagerOf(join(folder, 'apps'), folder, {}).add(['pg'])).toEqual(['pnpm', 'add', 'pg']);
  });
});
