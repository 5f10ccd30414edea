import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundleCli } from '../../support/cli-process.js';
import { InitApplication } from './init-application.js';

let application: InitApplication;

beforeAll(bundleCli);
beforeEach(() => {
  application = new InitApplication('nest11-commonjs');
});
afterEach(() => {
  application.remove();
});

/** Moves the application into another folder, and leaves main.ts, which starts the module there. */
function moveModule(to: string, imported: string): void {
  const { folder } = application;
  mkdirSync(join(folder, to, '..'), { recursive: true });
  renameSync(join(folder, 'src'), join(folder, to));
  mkdirSync(join(folder, 'src'));
  renameSync(join(folder, to, 'main.ts'), join(folder, 'src', 'main.ts'));
  application.write('src/main.ts', application.read('src/main.ts').replace('./app.module', imported));
}

function intoMonorepo(): void {
  const { folder } = application;
  moveModule('libs/core/src', '../../../libs/core/src/app.module');
  cpSync(join(folder, 'src'), join(folder, 'apps/a/src'), { recursive: true });
  rmSync(join(folder, 'src'), { recursive: true });
  const projects = { a: { type: 'application', root: 'apps/a', sourceRoot: 'apps/a/src' } };
  application.write('nest-cli.json', JSON.stringify({ monorepo: true, root: 'apps/a', projects }));
}

function intoLink(): void {
  moveModule('shared/app', './app/app.module');
  symlinkSync(join(application.folder, 'shared', 'app'), join(application.folder, 'src', 'app'), 'junction');
}

const LAYOUTS = [
  {
    where: 'beside the sources',
    prepare: () => {
      moveModule('server', '../server/app.module');
    },
    module: 'server/app.module.ts',
  },
  {
    where: 'in the folder of the whole application',
    prepare: () => {
      moveModule('server', '../app.module');
      cpSync(join(application.folder, 'server'), application.folder, { recursive: true });
      rmSync(join(application.folder, 'server'), { recursive: true });
    },
    module: 'app.module.ts',
  },
  { where: 'in a library of a monorepo', prepare: intoMonorepo, module: 'libs/core/src/app.module.ts' },
  { where: 'in a linked folder', prepare: intoLink, module: 'shared/app/app.module.ts' },
];

describe.each(LAYOUTS)('nestjs-payments init with a root module $where', ({ prepare, module }) => {
  it('changes it once, and nothing the second time', async () => {
    prepare();
    expect((await application.init()).code).toBe(0);
    expect(application.read(module)).toContain('PaymentsModule.forRootAsync');
    const once = application.files();
    expect(once[module.replace('app.module', 'payments/payments.controller')]).toContain('PaymentsWebhook');
    const { code, stdout, stderr } = await application.init();
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('Everything is there already: nothing to change.');
    expect(application.files()).toEqual(once);
  });

  it('registers a controller that no module names, once', async () => {
    prepare();
    await application.init();
    const complete = application.read(module);
    application.write(module, complete.replace(', PaymentsController', ''));
    expect((await application.init()).code).toBe(0);
    expect(application.read(module)).toBe(complete);
  });
});

describe('nestjs-payments init in an application that has the route already', () => {
  const HOOKS = `import { Controller, Post } from '@nestjs/common';
@Controller('webhooks')
export class Hooks { @Post('payments') received() {} }
`;
  const WARNING =
    'src/hooks.ts answers POST /webhooks/payments already: change the path in src/payments/payments.controller.ts, and ' +
    'register that one with the gateway.\n';

  it('says so when it writes the controller, and names no address of a route', async () => {
    application.write('src/hooks.ts', HOOKS);
    const { code, stderr } = await application.init();
    expect(code).toBe(0);
    expect(stderr).toContain(WARNING);
    expect(stderr).toContain('doctor --webhook <address of your webhook route>');
    expect((await application.init()).stderr).not.toContain('answers POST');
  });

  it('says nothing of a comment', async () => {
    application.write('src/hooks.ts', HOOKS.replaceAll(/^@/gm, '// @').replace('export', '//'));
    expect((await application.init()).stderr).not.toContain('answers POST');
  });
});

describe('nestjs-payments init and what reads .env', () => {
  const MODULE = 'src/app.module.ts';
  const LEFT_OUT =
    'ConfigModule is left out: src/seed.ts reads .env already (dotenv/config). The application must read it when it starts.\n';

  it('says why it leaves out ConfigModule, once', async () => {
    application.write('src/seed.ts', "import 'dotenv/config';\n");
    expect((await application.init()).stderr).toContain(LEFT_OUT);
    expect(application.read(MODULE)).not.toContain('ConfigModule');
    expect((await application.init()).stderr).not.toContain('left out');
  });

  it('adds ConfigModule if a comment alone speaks of it', async () => {
    application.write('src/seed.ts', "// import 'dotenv/config';\n/* ConfigModule.forRoot() */\n");
    expect((await application.init()).stderr).not.toContain('left out');
    expect(application.read(MODULE)).toContain('    ConfigModule.forRoot(),\n');
  });

  const configured = (options: string): string => `import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';

@Module({ imports: [ConfigModule.forRoot(${options})] })
export class AppModule {}
`;

  it('says nothing if the application has ConfigModule, which reads it at the start', async () => {
    application.write(MODULE, configured('{ isGlobal: true }'));
    expect((await application.init()).stderr).not.toContain('left out');
    expect(application.read(MODULE).match(/ConfigModule\.forRoot/g)).toHaveLength(1);
  });

  it('adds ConfigModule if the one of the application leaves the file alone', async () => {
    application.write(MODULE, configured('{ isGlobal: true, ignoreEnvFile: true }'));
    expect((await application.init()).stderr).not.toContain('left out');
    expect(application.read(MODULE)).toContain('    ConfigModule.forRoot(),\n');
    expect(await application.typeErrors()).toEqual([]);
  });
});

it('nestjs-payments init takes links that point at each other for no files', async () => {
  for (const [to, name] of [
    ['two.ts', 'one.ts'],
    ['one.ts', 'two.ts'],
  ] as const)
    symlinkSync(to, join(application.folder, 'src', name));
  expect((await application.init()).code).toBe(0);
  expect((await application.init()).stderr).toContain('Everything is there already');
});
