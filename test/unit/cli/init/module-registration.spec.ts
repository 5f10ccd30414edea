import { describe, expect, it } from 'vitest';
import { format, type Options } from 'prettier';
import ts from 'typescript';
import { byHand, registered, type Registration } from '../../../../lib/cli/init/module-registration.js';
import { editableCode } from '../../../../lib/cli/init/source-code.js';

const everything: Registration = {
  payments: true,
  environment: true,
  sqlite: true,
  interceptor: false,
  controller: { name: 'PaymentsController', from: './payments/payments.controller' },
  handler: { name: 'PaymentsHandler', from: './payments/payments.handler' },
};
const classes: Registration = {
  ...everything,
  payments: false,
  environment: false,
  sqlite: false,
};

/** A module's file after it was registered. */
const after = (text: string, wanted = everything, className?: string): string =>
  registered(editableCode(ts, 'src/app.module.ts', text), wanted, className).source.text;

/** What TypeScript says of the syntax. */
const problems = (text: string): unknown[] =>
  (ts.transpileModule(text, { reportDiagnostics: true }).diagnostics ?? []).map(
    ({ messageText }) => messageText,
  );

/** The elements of the three lists as they are written, without white space. */
function lists(text: string): Record<string, string[]> {
  const found: Record<string, string[]> = {};
  const source = ts.createSourceFile('app.module.ts', text, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && ts.isArrayLiteralExpression(node.initializer)) {
      found[node.name.getText(source).replaceAll(/['"]/g, '')] = node.initializer.elements.map((element) =>
        element.getText(source).replaceAll(/\(.*\)/gs, '()'),
      );
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const head = `import { Module } from '@nestjs/common';
import { AppController } from './app.controller';
import { AppService } from './app.service';
`;
const tail = 'export class AppModule {}\n';
const shapes = {
  'as nest new makes it': `@Module({
  imports: [],
  controllers: [AppController],
  providers: [AppService],
})`,
  'without imports': `@Module({
  controllers: [AppController],
  providers: [AppService],
})`,
  'without any list': '@Module({})',
  'with a list of one line': `@Module({
  imports: [CacheModule.register()],
  controllers: [AppController],
  providers: [AppService],
})`,
  'with a list of several lines': `@Module({
  imports: [
    CacheModule.register({
      ttl: 5,
    }),
    ScheduleModule.forRoot(),
  ],
  controllers: [
    // the front door
    AppController,
  ],
  providers: [
    AppService, // greets
    // the rest comes from elsewhere
  ],
})`,
  'with other metadata after it': `@Module({
  providers: [AppService],
  exports: [AppService],
})`,
  'with a list that is full': `@Module({
  imports: [],
  controllers: [AppController, FirstLongNamedController, SecondController],
  providers: [AppService],
})`,
  'with a comment in an empty list': `@Module({
  imports: [
    // nothing yet
  ],
  controllers: [AppController],
})`,
  'in one line': '@Module({ controllers: [AppController], providers: [AppService] })',
} as const;

describe('a module', () => {
  it('gets imports and entries as a person would write them', () => {
    const text = `${head}\n${shapes['with a list of one line']}\n${tail}`;
    expect(after(text)).toBe(`import { Module } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { hmac, paymentsConfig, PaymentsModule } from 'nestjs-payments';
import { AppController } from './app.controller';
import { AppService } from './app.service';
import { PaymentsController } from './payments/payments.controller';
import { PaymentsHandler } from './payments/payments.handler';

@Module({
  imports: [
    CacheModule.register(),
    ConfigModule.forRoot(),
    PaymentsModule.forRootAsync({
      isGlobal: true,
      ...paymentsConfig.asProvider(),
      // In memory, payments are forgotten at a restart. One process on one machine keeps them in a file
      // (import { sqliteStorage } from 'nestjs-payments/sqlite'):
      // storage: sqliteStorage({ file: 'payments.db' }),
      webhooks: {
        // As the emulator signs. How the gateway does is in its portal, or ask its support.
        scheme: hmac({
          header: 'x-webhook-signature',
          algorithm: 'sha256',
          encoding: 'hex',
          payload: ['body'],
        }),
        // The signature holds no time, so an old delivery can always come again.
        retentionDays: Infinity,
      },
    }),
  ],
  controllers: [AppController, PaymentsController],
  providers: [AppService, PaymentsHandler],
})
export class AppModule {}
`);
  });

  const styles: Record<string, Options> = {
    'the style of nest new': { singleQuote: true, trailingComma: 'all' },
    "prettier's own style": {},
    'no semicolons and no trailing commas': { semi: false, trailingComma: 'none', singleQuote: true },
    'tabs and tight braces': { useTabs: true, bracketSpacing: false },
    'four spaces': { tabWidth: 4, singleQuote: true },
    'line ends of Windows': { endOfLine: 'crlf', singleQuote: true },
  };
  const cases = Object.entries(shapes).flatMap(([shape, text]) =>
    Object.entries(styles).map(([style, options]) => ({ shape, text, style, options })),
  );

  it.each(cases)('$shape stays well formatted in $style', async ({ text, options }) => {
    const written = { ...options, parser: 'typescript' };
    const example = "const greeting = {\n  word: 'hello',\n};\n";
    const tidy = await format(`${head}\n${example}\n${text}\n${tail}`, written);
    const result = after(tidy);
    expect(result).toBe(await format(result, written));
    expect(lists(result)).toMatchObject({
      imports: expect.arrayContaining(['ConfigModule.forRoot()', 'PaymentsModule.forRootAsync()']) as unknown,
      controllers: expect.arrayContaining(['PaymentsController']) as unknown,
      providers: expect.arrayContaining(['PaymentsHandler']) as unknown,
    });
    const lines = result.split(/\r?\n/).map((line) => line.trim().replace(/,$/, ''));
    const comments = text.split('\n').filter((line) => line.trim().startsWith('//'));
    for (const comment of comments) expect(lines).toContain(comment.trim());
  });

  it.each([
    ['@Module({ imports: [ CacheModule.register({\n    ttl: 5,\n  }),\n], controllers: [AppController],\n})'],
    ['@Module({\n  imports: [ScheduleModule\n    .forRoot()] })'],
    ['@Module({ "imports": [/* none */], \'controllers\': [AppController,], })'],
    ['@Module({\n  controllers: [AppController] /* one */, providers: [AppService, /* one */] /* two */\n})'],
    ['@Module({\n  imports: [\n    A, // first\n    B // last, of all\n  ]\n})'],
    ['@Module({\n  imports: [A /* a, b */\n  , B\n  ],\n})'],
  ])('%s stays what it is, with three more lists or entries', (decorator) => {
    const text = `${head}\n${decorator}\n${tail}`;
    const result = after(text);
    expect(problems(result)).toEqual([]);
    const [before, now] = [lists(text), lists(result)];
    expect(now).toEqual({
      ...now,
      imports: [...(before['imports'] ?? []), 'ConfigModule.forRoot()', 'PaymentsModule.forRootAsync()'],
      controllers: [...(before['controllers'] ?? []), 'PaymentsController'],
      providers: [...(before['providers'] ?? []), 'PaymentsHandler'],
    });
    for (const comment of decorator.match(/\/\*.*?\*\/|\/\/.*/g) ?? []) expect(result).toContain(comment);
  });

  it('keeps a byte order mark, and every character outside the decorator and the imports', () => {
    const text = `\uFEFF${head}\n/** Ünïcode 💸 */\nconst sum = 1   +  1 ;\n${shapes['in one line']}\n${tail}\n\n`;
    const result = after(text);
    expect(result.startsWith(`\uFEFFimport { Module }`)).toBe(true);
    expect(result).toContain('\n/** Ünïcode 💸 */\nconst sum = 1   +  1 ;\n@Module(');
    expect(result.endsWith(`)\n${tail}\n\n`)).toBe(true);
  });

  it.each(Object.entries(shapes))('gets the interceptor beside its providers, %s', (_shape, text) => {
    const result = after(`${head}\n${text}\n${tail}`, { ...everything, interceptor: true });
    expect(problems(result)).toEqual([]);
    expect(lists(result)['providers']?.at(-1)).toMatch(
      /^\{ ?provide: APP_INTERCEPTOR,\s+useClass: PaymentsErrorInterceptor,? ?\}$/,
    );
    expect(result).toMatch(/import \{ ?APP_INTERCEPTOR ?\} from .@nestjs\/core.;?\n/);
    expect(result).toMatch(
      /paymentsConfig,\s+PaymentsErrorInterceptor,\s+PaymentsModule,?\s+\} from .nestjs-payments./,
    );
  });

  it('does not hear of SQLite if Node.js has none', () => {
    const text = `${head}\n${shapes['as nest new makes it']}\n${tail}`;
    const result = after(text, { ...everything, sqlite: false });
    expect(result).toContain('      ...paymentsConfig.asProvider(),\n      webhooks: {\n');
    expect(result).not.toMatch(/sqlite/i);
  });

  it('gets only what it lacks', () => {
    const text = `${head}\n${shapes['as nest new makes it']}\n${tail}`;
    const result = after(text, classes);
    expect(result).toContain('imports: [],');
    expect(result).not.toMatch(/hmac|PaymentsModule|ConfigModule/);
    expect(lists(result)).toMatchObject({ providers: ['AppService', 'PaymentsHandler'] });
  });

  it('has its own imports of the package filled up', () => {
    const imports = `import { type PaymentWebhookEvent, PaymentsModule as Pay } from 'nestjs-payments'; // money\n`;
    const result = after(`${head}${imports}\n${shapes['without any list']}\n${tail}`);
    expect(result).toContain(
      "  PaymentsModule as Pay,\n  hmac,\n  paymentsConfig,\n} from 'nestjs-payments'; // money\n",
    );
    expect(result).toContain('    Pay.forRootAsync({');
    expect(result.match(/'nestjs-payments'/g)).toHaveLength(1);
  });

  it('imports a single name in one line, however long, as Prettier does', async () => {
    const from = './the-payments-of-a-shop-with-a-long-name/payments-webhook.controller';
    const wanted = {
      ...classes,
      controller: { name: 'PaymentsWebhookController', from },
      handler: undefined,
    };
    const result = after(`${head}\n${shapes['as nest new makes it']}\n${tail}`, wanted);
    expect(result).toContain(`\nimport { PaymentsWebhookController } from '${from}';\n`);
    const options: Options = { parser: 'typescript', singleQuote: true };
    expect(await format(result, options)).toBe(result);
  });

  it.each([
    [
      'at the head',
      '/*\n Copyright of a shop.\n   All rights reserved.\n*/\n',
      '@Module({\n    exports: [A],\n})\n',
    ],
    ['in the code', '', '@Module({\n    /* a\n b */ exports: [A],\n})\n'],
  ])('does not take its indent from the lines of a comment %s', (_where, comment, module) => {
    const result = after(`${comment}${head}\n${module}${tail}`);
    expect(result).toContain('\n    controllers: [PaymentsController],\n');
    expect(result).toContain('\n        ConfigModule.forRoot(),\n');
  });

  it('keeps an import of types alone as one', () => {
    const imports = `import type { PaymentWebhookEvent } from 'nestjs-payments';\n`;
    const result = after(`${head}${imports}\n${shapes['without any list']}\n${tail}`);
    expect(result).toContain(
      `${imports}import { ConfigModule } from '@nestjs/config';\nimport { hmac, paymentsConfig, PaymentsModule } from 'nestjs-payments';\n`,
    );
  });

  it('calls ours by another name if it has a PaymentsModule and a hmac of its own', () => {
    const own = "import { PaymentsModule } from './payments/payments.module';\nconst hmac = 1;\n";
    const result = after(`${head}${own}\n@Module({ imports: [PaymentsModule] })\n${tail}`);
    expect(lists(result)['imports']).toEqual([
      'PaymentsModule',
      'ConfigModule.forRoot()',
      'GatewayPaymentsModule.forRootAsync()',
    ]);
    expect(result).toContain('scheme: gatewayHmac({');
    expect(result).toMatch(
      /hmac as gatewayHmac,\s+paymentsConfig,\s+PaymentsModule as GatewayPaymentsModule,?\s+\}/,
    );
  });

  it('is found under another name of the decorator, behind a namespace and among other classes', () => {
    const alias = "import { Module as Part } from '@nestjs/common';\n@Part({})\nexport class AppModule {}\n";
    expect(lists(after(alias))['providers']).toEqual(['PaymentsHandler']);
    const namespace =
      "import * as nest from '@nestjs/common';\n@nest.Module({})\nexport class AppModule {}\n";
    expect(lists(after(namespace))['providers']).toEqual(['PaymentsHandler']);
    const two = `${head}\n@Module({ providers: [A] })\nclass Part {}\n@Module({ exports: [B] })\n${tail}`;
    const result = after(two, everything, 'AppModule');
    expect(result).toContain('@Module({ providers: [A] })\nclass Part {}');
  });

  it.each([
    [
      'several classes',
      `${head}@Module({})\nclass A {}\n@Module({})\nclass B {}\n`,
      'several classes with @Module()',
    ],
    [
      'no module',
      `${head}export class AppModule {}\n`,
      'no class with @Module(). If another file has it, name the root module with --module <file>',
    ],
    ['metadata in a variable', `${head}@Module(metadata)\n${tail}`, 'is not an object literal'],
    ['no metadata', `${head}@Module()\n${tail}`, 'is not an object literal'],
    ['spread metadata', `${head}@Module({ ...base, imports: [] })\n${tail}`, 'is elsewhere'],
    ['imports in a variable', `${head}@Module({ imports })\n${tail}`, 'its imports are not a plain list'],
    [
      'imports from a function',
      `${head}@Module({ imports: all() })\n${tail}`,
      'its imports are not a plain list',
    ],
    [
      'a spread in imports',
      `${head}@Module({ imports: [...all] })\n${tail}`,
      'its imports are not a plain list',
    ],
    [
      'a choice of imports',
      `${head}@Module({ imports: a ? [] : [B] })\n${tail}`,
      'its imports are not a plain list',
    ],
    [
      'providers in a method',
      `${head}@Module({ providers() {} })\n${tail}`,
      'its providers are not a plain list',
    ],
    ['broken syntax', `${head}@Module({ imports: [ })\n${tail}`, 'syntax errors in app.module.ts'],
  ])('with %s is not touched', (_shape, text, reason) => {
    expect(() => after(text)).toThrow(reason);
  });

  it('that has to be changed by hand comes with the code to write', () => {
    const text = byHand(classes);
    expect(text).toBe(`import { PaymentsController } from './payments/payments.controller';
import { PaymentsHandler } from './payments/payments.handler';

controllers: [
  PaymentsController,
],
providers: [
  PaymentsHandler,
],`);
    const own = editableCode(ts, 'app.module.ts', `${head}class PaymentsModule {}\n`);
    expect(byHand(everything, own)).toContain(
      'imports: [\n  ConfigModule.forRoot(),\n  GatewayPaymentsModule.forRootAsync({',
    );
  });
});
