import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describeSkipped } from '../../support/describe-skipped.js';
import { bundleCli, removeCli } from '../../support/cli-process.js';
import { InitApplication } from './init-application.js';

const ADDED = ['.env.example', 'src/payments/payments.controller.ts', 'src/payments/payments.handler.ts'];
let application: InitApplication;

beforeAll(bundleCli);
afterAll(removeCli);
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
  }, 60_000);

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

  it('takes the module that main.ts starts, or that --module names, in a repository of several applications', async () => {
    cpSync(join(application.folder, 'src'), join(application.folder, 'apps', 'shop', 'src'), {
      recursive: true,
    });
    cpSync(join(application.folder, 'src'), join(application.folder, 'apps', 'office', 'src'), {
      recursive: true,
    });
    const project = (name: string) => ({
      type: 'application',
      root: `apps/${name}`,
      sourceRoot: `apps/${name}/src`,
    });
    application.write(
      'nest-cli.json',
      JSON.stringify({ projects: { shop: project('shop'), office: project('office') } }),
    );
    expect(await application.init()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        '--module apps/shop/src/app.module.ts or --module apps/office/src/app.module.ts',
      ) as unknown,
    });
    const { code } = await application.init(['--module', 'apps/office/src/app.module.ts']);
    expect(code).toBe(0);
    expect(application.read('apps/office/src/app.module.ts')).toContain('PaymentsModule');
    expect(application.read('apps/office/src/payments/payments.handler.ts')).toContain('PaymentsHandler');
    expect(application.read('apps/shop/src/app.module.ts')).not.toContain('Payments');
    expect(application.read('.env.example')).toContain('PAYMENTS_API_KEY');
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
});
