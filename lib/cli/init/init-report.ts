import { join } from 'node:path';
import { hasSqlite } from '../../common/has-sqlite.js';
import { printable } from '../../common/printable.js';
import { type CommandContext } from '../command.js';
import { jsonFile } from '../json-file.js';
import { type PackageManager } from '../project/package-manager.js';
import { type Look } from '../terminal.js';
import { type EnvironmentReader } from './environment-reader.js';
import { type ErrorAnswer } from './error-answer.js';
import { type FileChange } from './file-change.js';
import { type HandWork, type InitPlan, type TakenRoute } from './init-plan.js';
import { type DiffLine, lineDiff } from './line-diff.js';
import { shown } from './root-module.js';

const LOOKS: Readonly<Record<DiffLine['mark'], Look>> = { '+': 'green', '-': 'red', '@': 'cyan', ' ': 'dim' };
const LOCAL_ROUTE = 'http://127.0.0.1:3000/webhooks/payments';

/** Prints each change as a unified diff. */
export function printChanges(
  changes: readonly FileChange[],
  folder: string,
  { data, paintData }: CommandContext['terminal'],
): void {
  for (const { path, before, after } of changes) {
    data(paintData('bold', `${before === undefined ? 'New file' : 'Changes in'} ${shown(folder, path)}`));
    for (const { mark, text } of lineDiff(before ?? '', after)) {
      const line = text.split('\t').map(printable).join('\t');
      data(paintData(LOOKS[mark], mark === '@' ? line : `${mark}${line}`));
    }
    data('');
  }
}

/** Says why PaymentsErrorInterceptor is not among the changes. */
export function printErrorAnswer(
  { file, code }: ErrorAnswer,
  folder: string,
  { say, paint }: CommandContext['terminal'],
): void {
  const reason = `${shown(folder, file)} answers errors already, with ${printable(code)}`;
  say(paint('yellow', `PaymentsErrorInterceptor is left out: ${reason}.`));
}

/** Says why ConfigModule is not among the changes. */
export function printEnvironmentReader(
  { file, code }: EnvironmentReader,
  folder: string,
  { say, paint }: CommandContext['terminal'],
): void {
  const reason = `${shown(folder, file)} reads .env already (${code})`;
  say(paint('yellow', `ConfigModule is left out: ${reason}. The application must read it when it starts.`));
}

/** Says which controller would get the webhooks, or stop the boot, and what to do. */
export function printTakenRoute(
  { file, controller }: TakenRoute,
  folder: string,
  { say, paint }: CommandContext['terminal'],
): void {
  const remedy = `change the path in ${shown(folder, controller)}, and register that one with the gateway`;
  say(paint('yellow', `${shown(folder, file)} answers POST /webhooks/payments already: ${remedy}.`));
}

/** Prints the code that a person has to write. */
export function printHandWork(
  { file, reason, text }: HandWork,
  folder: string,
  { data, say, paint }: CommandContext['terminal'],
): void {
  say(paint('yellow', `${shown(folder, file)} stays as it is: ${reason}. Write by hand:\n`));
  data(`${text.replaceAll(/^(?=.)/gm, '  ')}\n`);
}

/** The packages of an application. */
export interface ApplicationPackages {
  /** The folder of its package.json. */
  readonly folder: string;
  readonly manager: PackageManager;
  /** The option that chooses the application, if several share the folder. */
  readonly project?: string | undefined;
  /** What is not installed, or not in a version that fits. */
  readonly missing: readonly string[];
}

/** Prints the command that installs the missing packages, if any. */
export function printMissing(
  { manager, missing }: ApplicationPackages,
  { say, paint }: CommandContext['terminal'],
): void {
  if (missing.length > 0) say(paint('yellow', `Packages are missing: ${manager.install(missing)}`));
}

/**
 * The steps from here to the first webhook, one command a line: PowerShell 5.1 has no &&. What is said of a command is
 * above it: cmd.exe knows no comments.
 */
export function nextSteps(
  { addsRoute, registersPayments }: Pick<InitPlan, 'addsRoute' | 'registersPayments'>,
  packages: ApplicationPackages,
): string {
  const { manager, missing, project } = packages;
  const route = addsRoute ? LOCAL_ROUTE : '<address of your webhook route>';
  const tests = testScript(packages);
  const chosen = project === undefined ? '' : `${project} `;
  const step = (says: string, command: string | undefined): readonly string[] =>
    command === undefined ? [] : [says, `  ${command}`];
  const steps = [
    ...step("Go to the application's folder, in which the other commands run:", manager.cd),
    ...step(
      'Install the missing packages:',
      missing.length === 0 ? undefined : manager.add(missing).join(' '),
    ),
    ...step(
      'Start the emulator, which writes its address and keys into .env, and keeps the other lines:',
      manager.exec(`sandbox --write-env .env --forward-to ${route}`),
    ),
    ...step('Check the application when it runs:', manager.exec(`doctor ${chosen}--webhook ${route}`)),
    ...step(
      'Run the tests that start the application, which need the variables too:',
      tests === undefined ? undefined : manager.exec(`sandbox exec -- ${tests}`),
    ),
  ];
  const address = addsRoute ? `\n${ADDRESS}` : '';
  const storage = registersPayments ? `\n${STORAGE}` : '';
  return `Next:\n${steps.map((line) => `  ${line}`).join('\n')}${address}${storage}`;
}

/** The script of package.json that runs the tests which start the application. Nx and others have none. */
function testScript({ folder, manager }: ApplicationPackages): string | undefined {
  const manifest: { readonly scripts?: Readonly<Record<string, string>> } =
    jsonFile(join(folder, 'package.json')) ?? {};
  const script = ['test:e2e', 'test'].find((name) => manifest.scripts?.[name] !== undefined);
  return script && manager.script(script);
}

/** Neither is known before the application runs. */
const ADDRESS =
  'Change the address above if the application listens on another port than 3000, or has a global prefix, ' +
  'which comes before /webhooks/payments.';

/** The memory storage is the default, because it needs nothing. */
const STORAGE =
  'Payments and webhooks are in memory, which forgets them at a restart. ' +
  (hasSqlite()
    ? 'One process on one machine keeps them in a file: the comment above with sqliteStorage({ file }) is the line for it. ' +
      'Let git ignore payments.db*.'
    : 'Choose a storage before the first real payment, such as postgresStorage({ pool }).');
