import { join } from 'node:path';
import { parseCommandLine } from '../command-line.js';
import { type Command, type CommandContext, flag, text } from '../command.js';
import { packageTree } from '../doctor/package-tree.js';
import { packageFacts } from '../package-facts.js';
import { UsageError } from '../usage-error.js';
import { type Application } from './application.js';
import { writeChanges } from './file-change.js';
import { isUncommitted } from './git-state.js';
import { type InitPlan, initPlan } from './init-plan.js';
import { nextSteps, sayHandWork, sayChanges } from './init-report.js';
import { missingPackages } from './missing-packages.js';
import { NotEditableError } from './not-editable.error.js';
import { installCommand } from './package-manager.js';
import { applicationAt, shown } from './root-module.js';

const OPTIONS = {
  module: text('<file>', 'root module (default: the one that main.ts starts, or app.module.ts)'),
  'dry-run': flag('show the changes and make none'),
  yes: { ...flag('make the changes without asking'), short: 'y' },
};

/** `nestjs-payments init` */
export const initCommand: Command = {
  name: 'init',
  synopsis: '[options]',
  summary: 'add module, webhook controller, handler and .env.example to an application',
  about: [
    'Adds what a Nest 11 or 12 application lacks: PaymentsModule in its root module, a webhook controller, a handler, and the',
    'variables in .env.example. Shows every change first, and asks if there is a terminal. Installs nothing, never touches',
    '.env, and changes nothing when it runs again. The exit code is 1 if something is left to write by hand.',
  ].join('\n'),
  options: OPTIONS,
  examples: ['init --dry-run', 'init', 'init --module apps/shop/src/app.module.ts'],
  run: runInit,
};

async function runInit(args: readonly string[], context: CommandContext): Promise<number> {
  const { values } = parseCommandLine(args, OPTIONS, { positionals: false });
  const { say, paint } = context.terminal;
  const application = applicationAt(context.folder, values.module);
  try {
    const plan = initPlan(application, context.folder, values.module);
    return await carriedOut(plan, application, values, context);
  } catch (error) {
    if (!(error instanceof NotEditableError)) throw error;
    say(paint('red', `Nothing was changed: ${error.message}.`));
    return 1;
  }
}

async function carriedOut(
  plan: InitPlan,
  application: Application,
  { 'dry-run': isDry, yes }: { readonly 'dry-run'?: boolean; readonly yes?: boolean },
  context: CommandContext,
): Promise<number> {
  const { terminal, folder, interactive, ask } = context;
  const { say, paint } = terminal;
  const { changes, byHand } = plan;
  const code = byHand ? 1 : 0;
  const install = installOf(application);
  sayChanges(changes, folder, terminal);
  if (byHand) sayHandWork(byHand, folder, terminal);
  if (changes.length === 0) {
    if (!byHand) say('Everything is there already: nothing to change.');
    if (install !== undefined) say(paint('yellow', `Packages are missing: ${install}`));
    return code;
  }
  for (const { path, before } of changes) {
    if (before === undefined || !isUncommitted(path)) continue;
    say(paint('yellow', `${shown(folder, path)} has changes that are not committed to git.`));
  }
  if (isDry) {
    say('A dry run: nothing was written.');
    return code;
  }
  if (interactive && !yes && !/^y(es)?$/i.test((await ask('Write these files? (y/N) ')).trim())) {
    say('Nothing was written.');
    return 1;
  }
  writeChanges(changes);
  say(paint('green', `Written: ${changes.map(({ path }) => shown(folder, path)).join(', ')}.`));
  say(nextSteps(plan, install));
  return code;
}

/**
 * The command that installs the missing packages.
 *
 * @throws UsageError if the package.json cannot be read: it says which Nest the application has.
 */
function installOf({ folder }: Application): string | undefined {
  const tree = packageTree(folder);
  if (!tree) {
    throw new UsageError(
      `${join(folder, 'package.json')} is missing or is not JSON: repair it, then run init again. Nothing was written.`,
    );
  }
  const missing = missingPackages(tree, packageFacts());
  return missing.length === 0 ? undefined : installCommand(folder, missing);
}
