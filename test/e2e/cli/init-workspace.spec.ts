import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bundleCli, runCommand } from '../../support/cli-process.js';
import { InitApplication } from './init-application.js';

let application: InitApplication;

beforeAll(bundleCli);
beforeEach(() => {
  application = new InitApplication('nest11-commonjs');
});
afterEach(() => {
  application.remove();
});

const inFolder = (folder: string) => ({ folder: join(application.folder, folder) });

/** Moves the application's sources, and names the module as a generator does. */
function addApplication(sources: string, name: string, moduleFile: string): void {
  const className = `${name.charAt(0).toUpperCase()}${name.slice(1)}Module`;
  cpSync(join(application.folder, 'src'), join(application.folder, sources), { recursive: true });
  rmSync(join(application.folder, sources, 'app.module.ts'));
  application.write(
    `${sources}/${moduleFile}.ts`,
    `import { Module } from '@nestjs/common';\n\n@Module({ imports: [] })\nexport class ${className} {}\n`,
  );
  application.write(
    `${sources}/main.ts`,
    `import { NestFactory } from '@nestjs/core';\nimport { ${className} } from './${moduleFile}';\n\nvoid NestFactory.create(${className});\n`,
  );
}

const removeRootApplication = (): void => {
  rmSync(join(application.folder, 'src'), { recursive: true });
};

/** As `nest generate app office` leaves an application that was called shop. */
function nestCliMonorepo(): void {
  addApplication('apps/shop/src', 'shop', 'app.module');
  addApplication('apps/office/src', 'office', 'office.module');
  removeRootApplication();
  const project = (name: string) => ({
    type: 'application',
    root: `apps/${name}`,
    entryFile: 'main',
    sourceRoot: `apps/${name}/src`,
  });
  const nestCli = { sourceRoot: 'apps/shop/src', monorepo: true, root: 'apps/shop' };
  const library = { type: 'library', root: 'libs/money', sourceRoot: 'libs/money/src' };
  const projects = { office: project('office'), shop: project('shop'), money: library };
  application.write('nest-cli.json', JSON.stringify({ ...nestCli, projects }));
}

/** As the generators of Nx write applications that share the packages of the root. */
function nxWorkspace(): void {
  for (const name of ['shop', 'office']) {
    addApplication(`apps/${name}/src`, name, 'app/app.module');
    application.write(
      `apps/${name}/project.json`,
      JSON.stringify({ name, sourceRoot: `apps/${name}/src`, projectType: 'application' }),
    );
  }
  const tests = { name: 'shop-e2e', sourceRoot: 'apps/shop-e2e/src', projectType: 'application' };
  application.write('apps/shop-e2e/project.json', JSON.stringify(tests));
  application.write('nx.json', '{}');
  removeRootApplication();
}

/** Packages with dependencies of their own, below one root. */
function packageWorkspace(): void {
  for (const name of ['shop', 'office']) {
    addApplication(`apps/${name}/src`, name, 'app.module');
    application.write(
      `apps/${name}/package.json`,
      JSON.stringify({ name: `@acme/${name}`, dependencies: { '@nestjs/core': '^11.0.0' } }),
    );
  }
  application.write('packages/money/package.json', '{ "name": "@acme/money" }');
  application.write('package.json', '{ "private": true, "workspaces": ["apps/*", "packages/*"] }');
  removeRootApplication();
}

const WORKSPACES = [
  {
    kind: "a monorepo of Nest's command line",
    prepare: nestCliMonorepo,
    names: ['office', 'shop'],
    module: 'apps/office/src/office.module.ts',
    variables: '.env.example',
    folder: undefined,
  },
  {
    kind: 'a workspace of Nx',
    prepare: nxWorkspace,
    names: ['office', 'shop'],
    module: 'apps/office/src/app/app.module.ts',
    variables: '.env.example',
    folder: undefined,
  },
  {
    kind: 'a workspace of packages',
    prepare: packageWorkspace,
    names: ['@acme/office', '@acme/shop'],
    module: 'apps/office/src/app.module.ts',
    variables: 'apps/office/.env.example',
    folder: 'apps/office',
  },
];

describe.each(WORKSPACES)(
  'nestjs-payments init in $kind',
  ({ prepare, names, module, variables, folder }) => {
    const [office = ''] = names;
    beforeEach(() => {
      prepare();
    });

    const changedBy = async (run: () => ReturnType<InitApplication['init']>): Promise<readonly string[]> => {
      const before = application.files();
      expect(await run()).toMatchObject({ code: 0 });
      const after = application.files();
      return Object.keys(after).filter((file) => before[file] !== after[file]);
    };

    it('asks which application is meant, and changes nothing', async () => {
      const before = application.files();
      const { code, stderr } = await application.init();
      expect(code).toBe(2);
      expect(stderr).toContain(
        `There are several applications here: write ${names.map((name) => `--project ${name}`).join(' or ')}.`,
      );
      expect(application.files()).toEqual(before);
    });

    it('changes the application that --project names, and nothing the second time', async () => {
      const payments = join(module, '..', 'payments');
      expect(await changedBy(() => application.init(['--project', office]))).toEqual(
        [
          variables,
          module,
          join(payments, 'payments.controller.ts'),
          join(payments, 'payments.handler.ts'),
        ].sort(),
      );
      expect(application.read(module)).toContain('PaymentsModule.forRootAsync');
      expect(await changedBy(() => application.init(['--project', office]))).toEqual([]);
    });

    it.each([
      ['the path of its folder', () => application.init(['--project', 'apps/office'])],
      ['its module', () => application.init(['--module', module])],
      ['where the command runs', () => application.init([], inFolder('apps/office/src'))],
    ])('knows the application by %s', async (_what, run) => {
      const changed = await changedBy(run);
      expect(changed).toContain(module);
      expect(changed).toContain(variables);
    });

    it('prints next steps that lead to the application, where the doctor knows it', async () => {
      const { stderr } = await application.init(['--project', office]);
      expect(/^ *cd (.*)$/m.exec(stderr)?.[1]).toBe(folder);
      const [, doctor = ''] = /^ *npx nestjs-payments (doctor .*)$/m.exec(stderr) ?? [];
      expect(
        doctor.startsWith(folder === undefined ? `doctor --project ${office} ` : 'doctor --webhook '),
      ).toBe(true);
      const ended = await runCommand(doctor.split(' '), { folder: join(application.folder, folder ?? '.') });
      expect(ended.stdout).toMatch(/Packages/);
      expect(ended.stdout).not.toContain('several applications');
    });

    it('names the applications if there is none of that name', async () => {
      const { code, stderr } = await application.init(['--project', 'ofice']);
      expect(code).toBe(2);
      expect(stderr).toContain(`There is no application 'ofice' here: write --project ${office} or `);
    });
  },
);
