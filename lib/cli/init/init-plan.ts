import { dirname, join } from 'node:path';
import { hasSqlite } from '../../common/has-sqlite.js';
import { type Application } from '../project/applications.js';
import { type PackageManager } from '../project/package-manager.js';
import { type Compiler, compilerOf } from './compiler.js';
import { envExample } from './env-example.js';
import { type EnvironmentReader, NEST_READER } from './environment-reader.js';
import { type ErrorAnswer } from './error-answer.js';
import { type FileChange } from './file-change.js';
import { importSpecifier } from './import-specifier.js';
import { byHand, type Registration, registered, type WantedClass } from './module-registration.js';
import { type NewClass, newClass } from './new-class.js';
import { NotEditableError } from './not-editable.error.js';
import { type RootModule, rootModule } from './root-module.js';
import { editableCode, type SourceCode } from './source-code.js';
import { optionalText, sourceText } from './source-text.js';
import { type FoundClass, surveyOf } from './survey.js';
import { controllerFile, handlerFile } from './templates.js';

/** Code that a person has to write into a file. */
export interface HandWork {
  readonly file: string;
  readonly reason: string;
  readonly text: string;
}

/** A controller of the application has the route of the one that `init` writes. */
export interface TakenRoute {
  readonly file: string;
  /** The file that `init` writes. */
  readonly controller: string;
}

/** Everything to do, known before the first file is written. */
export interface InitPlan {
  readonly changes: readonly FileChange[];
  readonly byHand: HandWork | undefined;
  /** Whether the application gets the route `/webhooks/payments`, and has no other one there. */
  readonly addsRoute: boolean;
  /** Whether the application had no PaymentsModule, so no storage either. */
  readonly registersPayments: boolean;
  /** The code because of which PaymentsErrorInterceptor is left out. */
  readonly errorAnswer?: ErrorAnswer | undefined;
  readonly takenRoute?: TakenRoute | undefined;
  /** The code because of which ConfigModule is left out, if a person has to see when it runs. */
  readonly environmentReader?: EnvironmentReader | undefined;
}

/** What the command line says of the plan. */
interface PlanOptions {
  /** The root module's file. */
  readonly module?: string;
  readonly 'no-interceptor'?: boolean;
}

/**
 * Plans what an application lacks.
 *
 * @throws NotEditableError if a file cannot be read.
 * @throws UsageError if there is no root module.
 */
export function initPlan(
  application: Application,
  { folder, manager }: { readonly folder: string; readonly manager: PackageManager },
  options: PlanOptions,
): InitPlan {
  const { compiler, problem } = compilerOf(application.folder);
  const root = rootModule(application, { folder, module: options.module, compiler });
  const offersInterceptor = options['no-interceptor'] !== true;
  const example = envExampleChange(application, manager);
  const plan = compiler
    ? sourcePlan(root, application, { compiler, folder, offersInterceptor })
    : {
        changes: [],
        byHand: { file: root.file, reason: problem, text: everythingByHand(offersInterceptor) },
        addsRoute: false,
        registersPayments: true,
      };
  return { ...plan, changes: [...plan.changes, ...(example.before === example.after ? [] : [example])] };
}

function sourcePlan(
  { file, className }: RootModule,
  { sources, main }: Application,
  {
    compiler,
    folder,
    offersInterceptor,
  }: { readonly compiler: Compiler; readonly folder: string; readonly offersInterceptor: boolean },
): InitPlan {
  const code = editableCode(compiler, file, sourceText(file));
  // The root module may be outside of the sources, or below a link. What init adds is beside it.
  const survey = surveyOf([dirname(file), sources], compiler, folder);
  const controller = survey.controller ? undefined : newClass('controller', code, main);
  const handler = survey.handler ? undefined : newClass('handler', code, main);
  const isRegistered = survey.registeredIn !== undefined;
  const offered = !isRegistered && offersInterceptor;
  const wanted: Registration = {
    payments: !isRegistered,
    environment: !isRegistered && !survey.environmentReader,
    sqlite: !isRegistered && hasSqlite(),
    interceptor: offered && !survey.errorAnswer,
    controller: controller ? unnamed(controller) : unregistered(code, survey.controller, main),
    handler: handler ? unnamed(handler) : unregistered(code, survey.handler, main),
  };
  const { change, hand } = moduleChange(code, wanted, className);
  return {
    changes: [change, controller?.file, handler?.file].filter((one) => one !== undefined),
    byHand: hand,
    addsRoute: controller !== undefined && survey.takenRoute === undefined,
    registersPayments: wanted.payments,
    errorAnswer: offered ? survey.errorAnswer : undefined,
    environmentReader: isRegistered ? undefined : readerToSee(survey.environmentReader),
    takenRoute: takenRoute(survey.takenRoute, controller),
  };
}

function readerToSee(reader: EnvironmentReader | undefined): EnvironmentReader | undefined {
  return reader?.code === NEST_READER ? undefined : reader;
}

function takenRoute(file: string | undefined, controller: NewClass | undefined): TakenRoute | undefined {
  return controller && file !== undefined ? { file, controller: controller.file.path } : undefined;
}

function moduleChange(
  code: SourceCode,
  wanted: Registration,
  className: string | undefined,
): { readonly change?: FileChange; readonly hand?: HandWork } {
  const { fileName, text } = code.source;
  if (!Object.values(wanted).some(Boolean)) return {};
  try {
    const after = registered(code, wanted, className).source.text;
    return { change: { path: fileName, before: text, after } };
  } catch (error) {
    if (!(error instanceof NotEditableError)) throw error;
    return { hand: { file: fileName, reason: error.message, text: byHand(wanted, code) } };
  }
}

function unnamed(added: NewClass): WantedClass | undefined {
  return added.isRegistered ? undefined : added;
}

/** An existing class that no module registers. */
function unregistered(
  code: SourceCode,
  found: FoundClass | undefined,
  main: string,
): WantedClass | undefined {
  if (!found || found.isUsed) return undefined;
  const isHere = found.file === code.source.fileName;
  return { name: found.name, from: isHere ? undefined : importSpecifier(code, found.file, main) };
}

function everythingByHand(interceptor: boolean): string {
  const classes = [
    { name: 'PaymentsController', from: './payments/payments.controller', written: controllerFile },
    { name: 'PaymentsHandler', from: './payments/payments.handler', written: handlerFile },
  ] as const;
  const [controller, handler] = classes;
  const files = classes.map(({ name, from, written }) => `// ${from}.ts\n${written(name)}`);
  return [
    byHand({ payments: true, environment: true, sqlite: hasSqlite(), interceptor, controller, handler }),
    ...files,
  ]
    .join('\n\n')
    .trimEnd();
}

function envExampleChange({ folder }: Application, manager: PackageManager): FileChange {
  const path = join(folder, '.env.example');
  const before = optionalText(path);
  return { path, before, after: envExample(before, manager) };
}
