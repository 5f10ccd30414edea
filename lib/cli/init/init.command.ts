import { spawnSync } from 'node:child_process';
import { basename, dirname, join } from 'node:path';
import { runChild } from '../child-process.js';
import { parseCommandLine, type ValuesOf } from '../command-line.js';
import { type Command, type CommandContext, flag, text } from '../command.js';
import { packageFacts } from '../package-facts.js';
import { type Application, findApplications, projectChoices } from '../project/applications.js';
import { packageManagerOf } from '../project/package-manager.js';
import { hidesPackages } from '../project/package-places.js';
import { packageTree } from '../project/package-tree.js';
import { missingPackages } from '../project/peer-packages.js';
import { bytesIfExists, unreadable } from '../text-file.js';
import { UsageError } from '../usage-error.js';
import { writeChanges } from './file-change.js';
import { type InitPlan, initPlan } from './init-plan.js';
import {
  type ApplicationPackages,
  nextSteps,
  printEnvironmentReader,
  printErrorAnswer,
  printHandWork,
  printChanges,
  printMissing,
  printTakenRoute,
} from './init-report.js';
import { NotEditableError } from './not-editable.error.js';
import { applicationAt, shown } from './root-module.js';

const OPTIONS = {
  module: text('<file>', 'root module (default: the one that main.ts starts, or app.module.ts)'),
  project: text(
    '<name>',
    "one of several applications: its name in Nest's command line or Nx, or its folder",
  ),
  'no-interceptor': flag("leave out PaymentsErrorInterceptor, which answers this package's errors"),
  'dry-run': flag('show the changes and make none'),
  yes: { ...flag('make the changes and ask nothing'), short: 'y' },
  install: flag('install the missing packages without asking'),
};

/** `nestjs-payments init` */
export const initCommand: Command = {
  name: 'init',
  synopsis: '[options]',
  summary: 'add module, webhook controller, handler and .env.example to an application',
  about: [
    'Adds what a Nest 11 or 12 application lacks: PaymentsModule and PaymentsErrorInterceptor in its root module, a webhook',
    'controller, a handler, and the variables in .env.example. Shows every change first, and asks if there is a terminal.',
    "Then it offers to install the missing packages with the application's package manager. It never touches .env, and changes",
    'nothing when it runs again. The exit code is 1 if something is left to write by hand.',
  ].join('\n'),
  options: OPTIONS,
  examples: ['init --dry-run', 'init', 'init --project shop', 'init --module apps/shop/src/app.module.ts'],
  run: runInit,
};

type Values = ValuesOf<typeof OPTIONS>;

async function runInit(args: readonly string[], context: CommandContext): Promise<number> {
  const { values } = parseCommandLine(args, OPTIONS, { positionals: false });
  const { say, paint } = context.terminal;
  const application = applicationAt(context.folder, values);
  try {
    const packages = applicationPackages(application, context);
    const plan = initPlan(application, { folder: context.folder, manager: packages.manager }, values);
    return await carriedOut(plan, packages, values, context);
  } catch (error) {
    if (!(error instanceof NotEditableError)) throw error;
    say(paint('red', `Nothing was changed: ${error.message}.`));
    return 1;
  }
}

async function carriedOut(
  plan: InitPlan,
  packages: ApplicationPackages,
  values: Values,
  context: CommandContext,
): Promise<number> {
  const { changes, byHand } = plan;
  const code = byHand ? 1 : 0;
  printPlan(plan, context);
  if (values['dry-run']) {
    if (changes.length > 0) context.terminal.say('A dry run: nothing was written.');
    printMissing(packages, context.terminal);
    return code;
  }
  if (changes.length > 0 && !(await written(changes, values, context))) return 1;
  const isInstalled = await installed(packages, values, context);
  if (changes.length > 0)
    context.terminal.say(nextSteps(plan, isInstalled ? { ...packages, missing: [] } : packages));
  else if (!isInstalled) printMissing(packages, context.terminal);
  return isInstalled || !values.install ? code : 1;
}

function printPlan(
  { changes, byHand, environmentReader, errorAnswer, takenRoute }: InitPlan,
  { terminal, folder }: CommandContext,
): void {
  printChanges(changes, folder, terminal);
  if (environmentReader) printEnvironmentReader(environmentReader, folder, terminal);
  if (errorAnswer) printErrorAnswer(errorAnswer, folder, terminal);
  if (takenRoute) printTakenRoute(takenRoute, folder, terminal);
  if (byHand) printHandWork(byHand, folder, terminal);
  if (changes.length === 0 && !byHand) terminal.say('Everything is there already: nothing to change.');
  for (const { path, before } of changes) {
    if (before === undefined || !isUncommitted(path)) continue;
    const warning = `${shown(folder, path)} has changes that are not committed to git.`;
    terminal.say(terminal.paint('yellow', warning));
  }
}

/** Whether a file, or its folder, differs from git's last commit; false without git. */
function isUncommitted(file: string): boolean {
  const { status, stdout } = spawnSync('git', ['status', '--porcelain', '--', basename(file)], {
    cwd: dirname(file),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return status === 0 && stdout !== '';
}

/** Writes the changes, if a person agrees. Resolves to whether it did. */
async function written(
  changes: InitPlan['changes'],
  { yes }: Values,
  context: CommandContext,
): Promise<boolean> {
  const { say, paint } = context.terminal;
  if (!yes && !(await agreed('Write these files?', context))) {
    say('Nothing was written.');
    return false;
  }
  writeChanges(changes, context.folder);
  say(paint('green', `Written: ${changes.map(({ path }) => shown(context.folder, path)).join(', ')}.`));
  return true;
}

/** Whether a person agrees; without a terminal, nobody is asked. */
async function agreed(question: string, { interactive, ask }: CommandContext): Promise<boolean> {
  return !interactive || /^y(es)?$/i.test((await ask(`${question} (y/N) `)).trim());
}

/** Installs the missing packages, with `--install` or if a person agrees. Resolves to whether none is missing. */
async function installed(
  { missing, manager, folder }: ApplicationPackages,
  { install, yes }: Values,
  context: CommandContext,
): Promise<boolean> {
  if (missing.length === 0) return true;
  const line = manager.install(missing);
  const isWanted = install ?? (context.interactive && !yes && (await agreed(`Run ${line}?`, context)));
  if (!isWanted) return false;
  context.terminal.say(line);
  return (await runChild(manager.add(missing), context.environment, context, folder)) === 0;
}

/**
 * The packages that the application lacks.
 *
 * @throws UsageError if they cannot be known. They say which Nest the application has.
 */
function applicationPackages(application: Application, context: CommandContext): ApplicationPackages {
  const { folder } = application;
  const manager = packageManagerOf(folder, context.folder, context.environment);
  const tree = packageTree(folder);
  if (!tree) throw manifestProblem(join(folder, 'package.json'));
  if (hidesPackages(folder)) {
    throw new UsageError(
      `Yarn's Plug'n'Play keeps the packages here, where only Yarn finds them: run ${manager.execThere('init')}`,
    );
  }
  const isShared = findApplications(folder, undefined).meant.length > 1;
  return {
    folder,
    manager,
    project: isShared ? projectChoices([application]) : undefined,
    missing: missingPackages(tree, packageFacts()),
  };
}

/** Why a package.json says nothing. */
function manifestProblem(file: string): UsageError {
  const instead = 'then run init again. Nothing was written.';
  try {
    bytesIfExists(file);
  } catch (error) {
    return unreadable(file, error, `make it a file that you may read, ${instead}`);
  }
  return new UsageError(`${file} is missing or is not JSON: repair it, ${instead}`);
}
