import 'reflect-metadata';
import { ValidateBy, type ValidationArguments } from 'class-validator';

/**
 * Says what is wrong with a field's value, as the end of a sentence that starts with the field's name, or undefined
 * when it is fine. Never repeats the value: it may be a phone number.
 */
export type FieldProblem = (value: unknown, request: object) => string | undefined;

/** Makes a property decorator of class-validator from a pure rule. */
export function fieldRule(name: string, problem: FieldProblem): PropertyDecorator {
  return ValidateBy({
    name,
    validator: {
      validate: (value: unknown, args?: ValidationArguments) =>
        problem(value, args?.object ?? {}) === undefined,
      defaultMessage: (args?: ValidationArguments) =>
        `${args?.property ?? 'the field'} ${problem(args?.value, args?.object ?? {}) ?? 'is wrong'}`,
    },
  });
}

/** The same rule for a field that may be left out. */
export function whenGiven(problem: FieldProblem): FieldProblem {
  return (value, request) => (value === undefined ? undefined : problem(value, request));
}
