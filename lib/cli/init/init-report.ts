import { type CommandContext } from '../command.js';
import { type Look, printable } from '../terminal.js';
import { type FileChange } from './file-change.js';
import { type HandWork, type InitPlan } from './init-plan.js';
import { type DiffLine, lineDiff } from './line-diff.js';
import { shown } from './root-module.js';

const LOOKS: Readonly<Record<DiffLine['mark'], Look>> = { '+': 'green', '-': 'red', '@': 'cyan', ' ': 'dim' };
const LOCAL_ROUTE = 'http://127.0.0.1:3000/webhooks/payments';

/** Prints each change as a unified diff. */
export function sayChanges(
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

/** Prints the code that a person has to write. */
export function sayHandWork(
  { file, reason, text }: HandWork,
  folder: string,
  { data, say, paint }: CommandContext['terminal'],
): void {
  say(paint('yellow', `${shown(folder, file)} stays as it is: ${reason}. Write by hand:\n`));
  data(`${text.replaceAll(/^(?=.)/gm, '  ')}\n`);
}

/** The steps from here to the first webhook. */
export function nextSteps({ addsRoute }: InitPlan, install: string | undefined): string {
  const route = addsRoute ? LOCAL_ROUTE : '<address of your webhook route>';
  const steps = [
    ...(install === undefined ? [] : [install]),
    `npx nestjs-payments sandbox --forward-to ${route}   # put what it prints into .env`,
    `npx nestjs-payments doctor --webhook ${route}   # when the application runs`,
    'npx nestjs-payments sandbox exec -- npm run test:e2e   # tests that start the application need the variables too',
  ];
  const prefix = addsRoute ? "\nThe application's global prefix comes before /webhooks/payments." : '';
  return `Next:\n${steps.map((step) => `  ${step}`).join('\n')}${prefix}`;
}
