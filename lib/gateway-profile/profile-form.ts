import { didYouMean } from '../common/closest-word.js';

export type Fields = Readonly<Record<string, unknown>>;

/** Takes a field that is wrong, what may stand there, and a question after it. */
export type Report = (field: string, problem: string, meant?: string) => void;

/** Whether a value is right, and what may stand there. */
export type Rule = readonly [isRight: (value: unknown) => boolean, problem: string];

/** The rule of each field. */
export type FormOf<Type> = Readonly<Record<keyof Type, Rule>>;

/** Reports each field that is wrong, or that the form does not have. */
export function checkForm(form: FormOf<Fields>, fields: Fields, prefix: string, report: Report): void {
  for (const [name, [isRight, problem]] of Object.entries(form))
    if (!isRight(fields[name])) report(prefix + name, problem);
  for (const name of Object.keys(fields).filter((given) => !Object.hasOwn(form, given)))
    report(prefix + name, 'is no field of a profile', didYouMean(name, Object.keys(form)));
}

export function oneOf(...words: readonly string[]): Rule {
  return [
    (value) => words.some((word) => word === value),
    `must be one of ${words.map((word) => JSON.stringify(word)).join(', ')}`,
  ];
}

export function optional([isRight, problem]: Rule): Rule {
  return [(value) => value === undefined || isRight(value), `${problem}, or left out`];
}
