import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type FileChange } from './file-change.js';
import { namesOf, specifiersFrom } from './import-names.js';
import { importSpecifier } from './import-specifier.js';
import { type WantedClass } from './module-registration.js';
import { NotEditableError } from './not-editable.error.js';
import { type SourceCode } from './source-code.js';
import { restyled } from './source-style.js';
import { namesByValue } from './survey.js';
import { controllerFile, handlerFile } from './templates.js';

/** A class that `init` creates in its own file. */
export interface NewClass extends WantedClass {
  readonly file: FileChange;
  /** Whether the module already names it, and only the file is missing. */
  readonly isRegistered: boolean;
}

const TEMPLATES = { controller: controllerFile, handler: handlerFile };
/**
 * `init` takes the first stem without an existing file or class: many applications already have a
 * PaymentsController.
 */
const STEMS = ['payments', 'payments-webhook', 'gateway-payments'];

/**
 * Plans a class in a file beside the module's.
 *
 * @throws NotEditableError if all names are taken.
 */
export function newClass(role: keyof typeof TEMPLATES, code: SourceCode, main: string): NewClass {
  const choices = STEMS.map((stem) => choiceOf(code, role, stem, main));
  const chosen = choices.find(({ path, isTaken }) => !isTaken && !existsSync(path));
  if (!chosen) {
    const names = choices.map(({ name }) => name).join(', ');
    throw new NotEditableError(`every name that the ${role} could get is taken (${names})`);
  }
  const { name, from, path } = chosen;
  return {
    name,
    from,
    file: { path, before: undefined, after: styled(TEMPLATES[role](name), code) },
    isRegistered: namesByValue(code, { name, file: path }),
  };
}

function styled(text: string, { style }: SourceCode): string {
  return restyled(text, style).replaceAll('\n', style.newline);
}

function choiceOf(code: SourceCode, role: keyof typeof TEMPLATES, stem: string, main: string) {
  const path = join(dirname(code.source.fileName), 'payments', `${stem}.${role}.ts`);
  const [name, from] = [className(stem, role), importSpecifier(code, path, main)];
  const isOurs = specifiersFrom(code, from).some((specifier) => specifier.name.text === name);
  return { name, from, path, isTaken: !isOurs && namesOf(code).has(name) };
}

/** `PaymentsWebhookController` of `payments-webhook` and `controller`. */
function className(stem: string, role: string): string {
  return `${stem}-${role}`.replace(/(?:^|-)([a-z])/g, (_match, letter: string) => letter.toUpperCase());
}
