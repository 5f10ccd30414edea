import { isBuiltin } from 'node:module';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describeSkipped } from '../../support/describe-skipped.js';
import { bundleCli } from '../../support/cli-process.js';
import { InitApplication } from './init-application.js';

const ADDED = ['.env.example', 'src/payments/payments.controller.ts', 'src/payments/payments.handler.ts'];
let application: InitApplication;

beforeAll(bundleCli);
afterEach(() => {
  application.remove();
});

describe('nestjs-payments init', () => {
  const MODULE = 'src/app.module.ts';
  beforeEach(() => {
    application = new InitApplication('nest11-commonjs');
  });

  it.each([
    ['the controller', 'src/payments/payments.controller.ts'],
    ['the handler', 'src/payments/payments.handler.ts'],
    ['the variables', '.env.example'],
  ])('adds %s alone if the rest is there', async (_what, file) => {
    await application.init();
    const complete = application.files();
    rmSync(join(application.folder, file));
    const { code, stderr } = await application.init();
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(`Written: `) as unknown });
    expect(application.files()[file]).toBe(complete[file]);
  });

  it.each(['{"dependencies":', '[]'])('writes nothing if package.json is %j', async (text) => {
    application.write('package.json', text);
    const before = application.files();
    const { code, stderr } = await application.init();
    expect(code).toBe(2);
    expect(stderr).toContain('package.json is missing or is not JSON: repair it, then run init again.');
    expect(application.files()).toEqual(before);
  });

  it('says that it cannot read package.json, and does not call it missing', async () => {
    rmSync(join(application.folder, 'package.json'));
    mkdirSync(join(application.folder, 'package.json'));
    const { code, stderr } = await application.init();
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /package\.json cannot be read \(E\w+\): make it a file that you may read, then run init again\./,
    );
    expect(stderr).not.toContain('JSON:');
  });

  it.each([
    [
      'src/payments is a file',
      () => {
        application.write('src/payments', '');
      },
      'src/payments has to be a folder, and is a file or a link that leads nowhere: rename or remove it, then run the command again',
    ],
    [
      '.env.example is a folder',
      () => {
        mkdirSync(join(application.folder, '.env.example'));
      },
      '.env.example is no regular file',
    ],
  ])('changes nothing if %s', async (_what, prepare, reason) => {
    prepare();
    const before = application.files();
    const { code, stderr } = await application.init();
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `Nothing was changed: ${reason}.\n`,
    });
    expect(application.files()).toEqual(before);
  });

  it('takes the module that NestFactory gets, whatever follows the call', async () => {
    application.write(
      'src/main.ts',
      `import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module';
import { start } from './start';
NestFactory.create(AppModule).then(start);
`,
    );
    application.write('src/start.ts', 'export function start() {}\n');
    const { code } = await application.init();
    expect(code).toBe(0);
    expect(application.read(MODULE)).toContain('PaymentsModule');
  });

  it('registers what is there and no module names', async () => {
    await application.init();
    const complete = application.read(MODULE);
    application.write(MODULE, complete.replace(', PaymentsController', '').replace(', PaymentsHandler', ''));
    await application.init();
    expect(application.read(MODULE)).toBe(complete);
  });

  it('leaves alone what other modules of the application do already', async () => {
    application.write(
      'src/money/money.module.ts',
      `import { Module } from '@nestjs/common';
import { PaymentsModule } from 'nestjs-payments';
import { Hooks, Orders } from './money';
@Module({ imports: [PaymentsModule.forRoot(options)], controllers: [Hooks], providers: [Orders] })
export class MoneyModule {}
`,
    );
    application.write(
      'src/money/money.ts',
      `import * as payments from 'nestjs-payments';
import { OnPayment as Hear } from 'nestjs-payments';
export class Hooks { @payments.PaymentsWebhook('payments') received() {} }
export class Orders { @Hear('*') paid() {} }
`,
    );
    await application.init();
    expect(Object.keys(application.files()).filter((file) => file.includes('payments'))).toEqual([]);
    expect(application.read(MODULE)).not.toContain('payments');
    expect((await application.init()).stderr).toContain('Everything is there already');
  });

  it('finds room beside payments of another kind', async () => {
    application.write('src/payments/payments.controller.ts', 'export class PaymentsController {}\n');
    application.write('src/payments/payments.module.ts', 'export class PaymentsModule {}\n');
    application.write(
      MODULE,
      `import { Module } from '@nestjs/common';
import { PaymentsModule } from './payments/payments.module';
@Module({ imports: [PaymentsModule] })
export class AppModule {}
`,
    );
    await application.init();
    expect(application.read('src/payments/payments.controller.ts')).toBe(
      'export class PaymentsController {}\n',
    );
    expect(application.read('src/payments/payments-webhook.controller.ts')).toContain(
      'class PaymentsWebhookController',
    );
    expect(application.read(MODULE)).toMatch(
      /PaymentsModule as GatewayPaymentsModule,\n\} from 'nestjs-payments'/,
    );
    expect(await application.typeErrors()).toEqual([]);
  });

  it('says that memory forgets at a restart, and shows the line that keeps payments in a file where Node.js has SQLite', async () => {
    const { stderr } = await application.init();
    expect(stderr).toContain('Payments and webhooks are in memory, which forgets them at a restart.');
    const line = "// storage: sqliteStorage({ file: 'payments.db' }),";
    expect(application.read(MODULE).includes(line)).toBe(isBuiltin('node:sqlite'));
    expect(stderr.includes('sqliteStorage({ file })')).toBe(isBuiltin('node:sqlite'));
  });

  it('says nothing of the storage if PaymentsModule is registered already, maybe with one', async () => {
    await application.init();
    rmSync(join(application.folder, '.env.example'));
    expect((await application.init()).stderr).not.toContain('in memory');
  });

  it('adds no ConfigModule if something reads .env already', async () => {
    application.write('src/main.ts', `import 'dotenv/config';\n${application.read('src/main.ts')}`);
    await application.init();
    expect(application.read(MODULE)).not.toContain('ConfigModule');
  });

  it('prints what to write by hand if imports are not a plain list, with exit code 1, until it is written', async () => {
    const shared = application.read(MODULE).replace('imports: []', 'imports: [...shared]');
    application.write(MODULE, `const shared = [];\n${shared}`);
    const { code, stdout, stderr } = await application.init();
    expect(code).toBe(1);
    expect(stderr).toContain('src/app.module.ts stays as it is: its imports are not a plain list.');
    expect(stdout).toContain(
      "\n  import { PaymentsHandler } from './payments/payments.handler';\n\n  imports: [\n",
    );
    expect(application.read(MODULE)).toBe(`const shared = [];\n${shared}`);
    expect(Object.keys(application.files())).toEqual(expect.arrayContaining(ADDED));

    expect(await application.init()).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('PaymentsHandler') as unknown,
    });
    application.write(
      MODULE,
      `import { PaymentsModule } from 'nestjs-payments';
const shared = [PaymentsModule.forRoot(o)];\nconst more = [PaymentsController, PaymentsHandler];\n${shared}`,
    );
    expect(await application.init()).toMatchObject({ code: 0, stdout: '' });
  });

  it('extends .env.example and never touches .env', async () => {
    application.write('.env', 'PAYMENTS_API_KEY=mine\n');
    application.write('.env.example', 'PORT=3000\n');
    await application.init();
    expect(application.read('.env')).toBe('PAYMENTS_API_KEY=mine\n');
    expect(application.read('.env.example')).toMatch(/^PORT=3000\n\n# .*\nPAYMENTS_BASE_URL=/);
  });

  it('takes a root module of another name by what main.ts starts', async () => {
    application.write(
      'src/shop/shop.module.ts',
      application.read(MODULE).replaceAll('AppModule', 'ShopModule').replaceAll("'./", "'../"),
    );
    application.write(
      'src/main.ts',
      application
        .read('src/main.ts')
        .replaceAll('AppModule', 'ShopModule')
        .replace('./app.module', './shop/shop.module'),
    );
    await application.init();
    expect(application.read('src/shop/shop.module.ts')).toContain("from './payments/payments.handler'");
    expect(application.read(MODULE)).not.toContain('Payments');
  });

  it('asks for the root module if main.ts takes it from a file that only passes it on', async () => {
    application.write('src/shop/shop.module.ts', application.read(MODULE).replaceAll("'./", "'../"));
    application.write('src/shop/index.ts', "export * from './shop.module';\n");
    application.write('src/main.ts', application.read('src/main.ts').replace('./app.module', './shop'));
    rmSync(join(application.folder, MODULE));
    const { code, stderr } = await application.init();
    expect(code).toBe(1);
    expect(stderr).toContain(
      'src/shop/index.ts stays as it is: it has no class with @Module(). ' +
        'If another file has it, name the root module with --module <file>. Write by hand:',
    );
    expect((await application.init(['--module', 'src/shop/shop.module.ts'])).code).toBe(0);
    expect(application.read('src/shop/shop.module.ts')).toContain('PaymentsModule');
  });

  it.each([
    ['with --no-interceptor', ['--no-interceptor'], 'src/empty.ts', ''],
    ['if a filter answers errors', [], 'src/filter.ts', '@Catch()\nexport class Filter {}\n'],
    ['if main.ts registers a filter', [], 'src/setup.ts', 'app.useGlobalFilters(new Filter());\n'],
    [
      'if a controller has it',
      [],
      'src/shop.ts',
      '@UseInterceptors(PaymentsErrorInterceptor)\nclass Shop {}\n',
    ],
  ])('leaves out PaymentsErrorInterceptor %s', async (_when, args, file, text) => {
    application.write(file, text);
    expect((await application.init(args)).code).toBe(0);
    expect(application.read(MODULE)).toContain('PaymentsModule');
    expect(application.read(MODULE)).not.toContain('INTERCEPTOR');
  });

  it('says that and why it leaves out PaymentsErrorInterceptor, once', async () => {
    const left = 'PaymentsErrorInterceptor is left out: src/filter.ts answers errors already, with @Catch().';
    application.write('src/filter.ts', '@Catch()\nexport class Filter {}\n');
    expect((await application.init(['--dry-run', '--no-interceptor'])).stderr).not.toContain('left out');
    expect((await application.init()).stderr).toContain(left);
    expect((await application.init()).stderr).not.toContain('left out');
  });

  it('registers PaymentsErrorInterceptor beside a filter of other errors', async () => {
    application.write('src/filter.ts', '@Catch(TypeError)\nexport class Filter {}\n');
    expect((await application.init()).stderr).not.toContain('left out');
    expect(application.read(MODULE)).toContain('APP_INTERCEPTOR');
  });

  it('does not add PaymentsErrorInterceptor again if somebody removed it', async () => {
    await application.init();
    const line =
      /\n.*provide: APP_INTERCEPTOR.*|import \{ APP_INTERCEPTOR.*\n|\n *PaymentsErrorInterceptor,/g;
    const without = application.read(MODULE).replaceAll(line, '');
    application.write(MODULE, without);
    expect(without).not.toContain('Interceptor');
    expect((await application.init()).stderr).toContain('Everything is there already');
  });

  it('ends if linked folders lead back to where they are', async () => {
    for (const name of ['one', 'two']) symlinkSync('..', join(application.folder, 'src', name), 'dir');
    expect((await application.init()).code).toBe(0);
    expect((await application.init()).stderr).toContain('Everything is there already');
  });

  it.each(['.pnp.cjs', '.pnp.js'])(
    "asks for Yarn if Yarn's Plug'n'Play keeps the packages in %s",
    async (file) => {
      application.removePackages();
      application.write('yarn.lock', '');
      application.write(file, '');
      const before = application.files();
      const { code, stderr } = await application.init();
      expect(code).toBe(2);
      expect(stderr).toContain('run yarn add nestjs-payments && yarn nestjs-payments init\n');
      expect(application.files()).toEqual(before);
    },
  );

  it('warns of changes that git does not know', async () => {
    const git = (...args: string[]) => spawnSync('git', args, { cwd: application.folder });
    git('init', '--quiet');
    git('add', '--', MODULE);
    git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--message', 'x');
    expect((await application.init(['--dry-run'])).stderr).not.toContain('not committed');
    application.write(MODULE, `${application.read(MODULE)}\n`);
    expect((await application.init(['--dry-run'])).stderr).toContain(
      'src/app.module.ts has changes that are not committed to git.',
    );
  });

  it.each([
    ['has syntax errors', 'import { Module', 'TypeScript finds syntax errors in app.module.ts'],
    ['is not UTF-8', Buffer.from([0xff, 0xfe, 0x40]), 'app.module.ts is not written in UTF-8'],
  ])('changes nothing if the module %s', async (_what, text, reason) => {
    application.write(MODULE, text);
    const before = application.files();
    expect(await application.init()).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `Nothing was changed: ${reason}.\n`,
    });
    expect(application.files()).toEqual(before);
  });

  it.each([
    ['no package.json', [], 'There is no package.json here', '/'],
    [
      'no such module',
      ['--module', 'src/shop.module.ts'],
      '--module must be a TypeScript file that is there',
      undefined,
    ],
  ])('says what is wrong if there is %s', async (_what, args, says, folder) => {
    const ended = await application.init(args, folder === undefined ? {} : { folder });
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(says) as unknown });
  });
});

describe('nestjs-payments init in an application of ECMAScript modules', () => {
  const MODULE = 'src/app.module.ts';
  const EMPTY = `import { Module } from '@nestjs/common';
@Module({})
export class AppModule {}
`;
  beforeEach(() => {
    application = new InitApplication('nest12-esm');
    for (const part of ['controller', 'service']) rmSync(join(application.folder, `src/app.${part}.ts`));
    application.write(MODULE, EMPTY);
  });

  /** Writes other compiler options, and takes `moduleResolution` out. */
  const compile = (options: object): void => {
    const { compilerOptions } = JSON.parse(application.read('tsconfig.json')) as { compilerOptions: object };
    application.write(
      'tsconfig.json',
      JSON.stringify({ compilerOptions: { ...compilerOptions, moduleResolution: undefined, ...options } }),
    );
  };

  it.each(['nodenext', 'node16', 'node18', 'node20'])(
    'writes imports that compile with module %s alone, if no other file shows how they end',
    async (module) => {
      compile({ module });
      rmSync(join(application.folder, 'src/main.ts'));
      expect((await application.init()).code).toBe(0);
      expect(application.read(MODULE)).toContain("from './payments/payments.controller.js'");
      expect(await application.typeErrors()).toEqual([]);
    },
  );

  it('writes no ending for a bundler', async () => {
    compile({ module: 'esnext', moduleResolution: 'bundler' });
    rmSync(join(application.folder, 'src/main.ts'));
    expect((await application.init()).code).toBe(0);
    expect(application.read(MODULE)).toContain("from './payments/payments.controller'");
    expect(await application.typeErrors()).toEqual([]);
  });

  it('follows the imports of main.ts if the module imports no neighbour', async () => {
    compile({ module: 'esnext', moduleResolution: 'bundler' });
    expect(application.read('src/main.ts')).toContain("'./app.module.js'");
    expect((await application.init()).code).toBe(0);
    expect(application.read(MODULE)).toContain("from './payments/payments.controller.js'");
    expect(await application.typeErrors()).toEqual([]);
  });
});

describe('nestjs-payments init in an application that lacks packages', () => {
  const command = 'pnpm add nestjs-payments @nestjs/axios@^';
  /** A program that stands for pnpm: it notes its arguments, and ends as it is told. */
  const pnpm = (exitCode: number): NodeJS.ProcessEnv => {
    application.write('bin/pnpm', `#!/bin/sh\necho "$PWD: $*" > ../pnpm-arguments\nexit ${exitCode}\n`);
    chmodSync(join(application.folder, 'bin', 'pnpm'), 0o755);
    return { PATH: `${join(application.folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}` };
  };
  const toldPnpm = (): string => readFileSync(join(application.folder, '..', 'pnpm-arguments'), 'utf8');

  beforeEach(() => {
    application = new InitApplication('nest11-commonjs');
    application.write('pnpm-lock.yaml', '');
    application.removePackages();
    mkdirSync(join(application.folder, 'node_modules'));
    symlinkSync(
      join(process.cwd(), 'node_modules', 'typescript'),
      join(application.folder, 'node_modules', 'typescript'),
      'junction',
    );
  });

  it('prints the command that installs them, and every other one of that package manager', async () => {
    const { code, stderr } = await application.init();
    expect(code).toBe(0);
    expect(stderr).toContain(`Next:\n  Install the missing packages:\n    ${command}`);
    expect(stderr).toContain('\n    pnpm exec nestjs-payments sandbox exec -- pnpm run test:e2e\n');
    expect((await application.init()).stderr).toContain(`Packages are missing: ${command}`);
  });

  it('installs them in the folder of the application with --install', async () => {
    const { code, stderr } = await application.init(['--install'], { environment: pnpm(0) });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.not.stringContaining(
        `Next:\n  Install the missing packages:\n    ${command}`,
      ) as unknown,
    });
    expect(toldPnpm()).toContain(`${application.folder}: add nestjs-payments @nestjs/axios@^`);
  });

  it('says again what to install, with exit code 1, if the installation fails', async () => {
    const { code, stderr } = await application.init(['--install'], { environment: pnpm(3) });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(`Next:\n  Install the missing packages:\n    ${command}`) as unknown,
    });
  });

  it('installs nothing in a dry run', async () => {
    const { code, stderr } = await application.init(['--dry-run', '--install'], { environment: pnpm(0) });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(command) as unknown });
    expect(toldPnpm).toThrow('ENOENT');
  });
});

describe('nestjs-payments init without the TypeScript that it needs', () => {
  const install = (path: string, to: string): void => {
    mkdirSync(join(application.folder, path, '..'), { recursive: true });
    symlinkSync(join(process.cwd(), 'node_modules', to), join(application.folder, path), 'junction');
  };
  const installSeven = (): void => {
    application.write(
      'node_modules/typescript/package.json',
      '{ "version": "7.0.2", "main": "./version.cjs" }',
    );
    application.write('node_modules/typescript/version.cjs', "exports.version = '7.0.2';");
  };

  beforeEach(() => {
    application = new InitApplication('nest11-commonjs');
    application.removePackages();
  });

  it.each([
    ['none', () => {}, 'TypeScript, which reads it, is not installed here'],
    ['TypeScript 7', installSeven, 'TypeScript 5 or 6 can read it, and 7.0.2 is installed here'],
  ])('tells with %s what to write by hand', async (_what, prepare, reason) => {
    prepare();
    const { code, stdout, stderr } = await application.init();
    expect(code).toBe(1);
    expect(stderr).toContain(`src/app.module.ts stays as it is: ${reason}.`);
    expect(stdout).toContain('// ./payments/payments.handler.ts\n');
    expect(stdout).toContain('PaymentsModule.forRootAsync({');
    expect(application.read('src/app.module.ts')).not.toContain('Payments');
  });

  it("takes that of the application's Nest command line instead of TypeScript 7", async () => {
    installSeven();
    application.write('node_modules/@nestjs/cli/package.json', '{ "name": "@nestjs/cli" }');
    install('node_modules/@nestjs/cli/node_modules/typescript', 'typescript');
    expect((await application.init()).code).toBe(0);
    expect(application.read('src/app.module.ts')).toContain('PaymentsModule');
  });
});

/** Makes a terminal for a command. */
const hasScript = spawnSync('script', ['--version']).status === 0;
const describeTerminal = hasScript
  ? describe
  : (name: string, specs: () => void): void => {
      describeSkipped(name, 'the program script is not installed', specs);
    };

describeTerminal('nestjs-payments init in a terminal', () => {
  beforeEach(() => {
    application = new InitApplication('nest11-commonjs');
  });

  it.each([
    ['n', 1],
    ['', 1],
    ['y', 0],
  ])('asks if a terminal is there, and takes %j for exit code %d', async (answer, code) => {
    const before = application.files();
    const ended = await application.init([], { input: `${answer}\n`, terminal: true });
    expect(ended.stdout).toContain('Write these files? (y/N)');
    expect(ended.code).toBe(code);
    expect(Object.keys(application.files()).length - Object.keys(before).length).toBe(code === 0 ? 3 : 0);
  });

  it('does not ask with --yes', async () => {
    const ended = await application.init(['--yes'], { terminal: true });
    expect(ended).toMatchObject({ code: 0, stdout: expect.not.stringContaining('(y/N)') as unknown });
  });

  it('offers to install what is missing, and does it after a yes', async () => {
    application.removePackages();
    mkdirSync(join(application.folder, 'node_modules'));
    application.write('bin/npm', '#!/bin/sh\necho "npm $*"\n');
    chmodSync(join(application.folder, 'bin', 'npm'), 0o755);
    const environment = {
      PATH: `${join(application.folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`,
    };
    const init = (answer: string) =>
      application.init([], { input: `${answer}\n`, terminal: true, environment });
    await application.init(['--yes']);
    expect((await init('n')).stdout).not.toMatch(/^npm install/m);
    const { stdout } = await init('y');
    expect(stdout).toMatch(/Run npm install nestjs-payments .*\? \(y\/N\)/);
    expect(stdout).toMatch(
      /^npm install nestjs-payments @nestjs\/axios@\S+ .*\r?\n(npm install nestjs-payments)/m,
    );
  });
});
