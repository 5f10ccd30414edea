import 'reflect-metadata';
import { types } from 'node:util';
import { getMetadataStorage, isEmail, ValidateBy, type ValidationArguments } from 'class-validator';
import { TZ_PHONE } from '../../common/phone.js';
import { amountProblem } from '../../common/money.js';

/**
 * Says what is wrong with a field's value, as the end of a sentence that starts with the field's name;
 * undefined if nothing is. Does not repeat the value, which may be a phone number.
 */
type FieldProblem = (value: unknown, request: object) => string | undefined;

/** Makes a property decorator of class-validator from a pure rule. */
export function fieldRule(name: string, problem: FieldProblem): PropertyDecorator {
  return ValidateBy({
    name,
    validator: {
      validate: (value: unknown, { object }: ValidationArguments) => problem(value, object) === undefined,
      defaultMessage: ({ property, value, object }: ValidationArguments) =>
        [property, problem(value, object)].join(' '),
    },
  });
}

/** The same rule for a field that may be left out. */
export function whenGiven(problem: FieldProblem): FieldProblem {
  return (value, request) => (value === undefined ? undefined : problem(value, request));
}

const MAX_REFERENCE_BYTES = 255;
const NETWORK_TOKEN = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;
/** Accepts usual addresses in a tenth of the time of `isEmail`, which checks the others. */
const USUAL_EMAIL = /^(?=.{1,64}$)[a-z\d]+(?:[._+-][a-z\d]+)*@(?:[a-z\d]+(?:-[a-z\d]+)*\.)+[a-z]{2,}$/i;
/** UTF-8 cannot hold half of a surrogate pair: it would arrive as another character. */
const LONE_SURROGATE = /\p{Surrogate}/u;

const CONTROL_CHARACTER = /\p{Cc}/u;

/** Rule of every plain text field: a string that is not blank. */
export const textProblem: FieldProblem = (value) => {
  if (typeof value !== 'string') return 'is required and must be a string';
  if (value.trim() === '')
    return 'must not be blank: write at least one visible character, or ask for it again';
  if (LONE_SURROGATE.test(value))
    return 'must be whole characters: it holds half of an emoji or of a similar sign';
  return undefined;
};

/** The look-behind tries a run of blanks once, and not from each blank of it again: long runs would stop the process. */
const BLANK_ENDS = /^[\s\p{Cc}\p{Cf}]+|(?<![\s\p{Cc}\p{Cf}])[\s\p{Cc}\p{Cf}]+$/gu;

/** A reference without white space, control and invisible characters at its ends. */
export function trimmedReference(reference: string): string {
  return reference.replace(BLANK_ENDS, '');
}

/** Between the parts of a composed reference. Not a space: a sentence may hold the word `undefined`. */
const SEPARATORS = /[-_:/.#|]/;
const OBJECT_AS_TEXT = /\[object \w+\]/;
/** `order`, `Order`, `INV` or `2026`, and no part of a random id. */
const WORD_OR_NUMBER = /^(?:\p{Lu}?\p{Ll}*|\p{Lu}*|\d*)$/u;

/**
 * Says that a reference was made without the id that belongs into it, as the end of a sentence; undefined if that is not
 * certain. Two payments with such a reference would pass for one.
 */
export function missingIdProblem(reference: string): string | undefined {
  if (OBJECT_AS_TEXT.test(reference))
    return 'holds "[object …]", the text of an object: write its id, or await the promise of it';
  const word = missingWord(reference);
  if (word === undefined) return undefined;
  return `${reference === word ? 'is' : 'holds'} the text "${word}": the id was missing where it was made`;
}

/** Must find no word of a real name: `undefined-behaviour` may be a product, and `order-null` the order of a family. */
function missingWord(reference: string): 'undefined' | 'null' | 'NaN' | undefined {
  if (reference === 'null') return 'null';
  const parts = reference.split(SEPARATORS);
  if (parts.some((part, at) => part === 'undefined' && !/^\p{L}/u.test(parts[at + 1] ?? '')))
    return 'undefined';
  // Random ids hold it between dashes by chance.
  const isNumberMissing =
    parts.includes('NaN') && parts.every((part) => part === 'NaN' || WORD_OR_NUMBER.test(part));
  return isNumberMissing ? 'NaN' : undefined;
}

const referenceProblem: FieldProblem = (value, request) => {
  const problem = textProblem(value, request);
  if (problem !== undefined) return problem;
  const reference = String(value);
  if (CONTROL_CHARACTER.test(reference))
    return 'must not hold control characters, such as a line break or a tab: take them out';
  if (Buffer.byteLength(reference) > MAX_REFERENCE_BYTES)
    return 'must be at most 255 bytes long: use the id of your order, not its description';
  // A gateway that trims it sends its webhook under a reference that the journal does not know.
  if (trimmedReference(reference) !== reference)
    return 'must not begin or end with white space or an invisible character: trim it';
  return missingIdProblem(reference);
};

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

const phoneProblem: FieldProblem = (value) =>
  matches(value, TZ_PHONE)
    ? undefined
    : 'must be a string of 255 and nine digits, without a plus sign, spaces or a leading 0: write 255712345678, which normalizeTzPhone() makes of 0712 345 678';

const emailProblem: FieldProblem = (value) =>
  matches(value, USUAL_EMAIL) || isEmail(value)
    ? undefined
    : 'is required and must be an e-mail address: write name@example.com';

const currencyProblem: FieldProblem = (value) =>
  value === 'TZS' ? undefined : 'must be "TZS": leave it out, or write "TZS"';

const networkProblem: FieldProblem = (value) =>
  matches(value, NETWORK_TOKEN)
    ? undefined
    : 'must be a network name in upper case, words joined by underscores: write it as the gateway does, for example NET_ONE';

/** A string that is not blank. */
export const IsText = (): PropertyDecorator => fieldRule('isText', textProblem);

/** The merchant's reference: 1 to 255 bytes, without white space at its ends or control characters, and with its id. */
export const IsReference = (): PropertyDecorator => fieldRule('isReference', referenceProblem);

/** `255` and nine digits (specification, "Endpoints" 1). */
export const IsTzPhone = (): PropertyDecorator => fieldRule('isTzPhone', phoneProblem);

/** An e-mail address. */
export const IsEmailAddress = (): PropertyDecorator => fieldRule('isEmailAddress', emailProblem);

/** `TZS`, or left out (specification, "Limits" 2). */
export const IsTzs = (): PropertyDecorator => fieldRule('isTzs', whenGiven(currencyProblem));

/** An upper-case token (specification, "Endpoints" 7). */
export const IsNetworkToken = (): PropertyDecorator => fieldRule('isNetworkToken', networkProblem);

/** An amount of TZS: greater than 0, at most two decimals, below 10^13. */
export const IsMoneyAmount = (): PropertyDecorator => fieldRule('isMoneyAmount', amountProblem);

const SHAPE = 'must be a plain JSON object: write { orderId: "17" }, or leave it out';
const CONTENT =
  'must hold only strings, finite numbers, booleans, null, arrays and plain objects: turn dates, bigints and class instances into strings';
const MAX_DEPTH = 32;

/** Whether a value is a plain object. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || types.isProxy(value) || Array.isArray(value))
    return false;
  const prototype = Object.getPrototypeOf(value) as object | null;
  // Not compared with Object.prototype: a test runner's objects come from another realm.
  return prototype === null || (Object.getPrototypeOf(prototype) === null && !('toJSON' in prototype));
}

/**
 * A copy of a JSON value, which the application cannot change any more; undefined if it is not what JSON would show.
 * Nothing of the application runs meanwhile: a getter, a proxy or a `toJSON` could say something else when it is sent.
 */
export function jsonCopy(value: unknown, depth = 0): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  // The limit also ends a circle.
  if (typeof value !== 'object' || types.isProxy(value) || depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return listCopy(value, depth + 1);
  return isPlainObject(value) ? objectCopy(value, depth + 1) : undefined;
}

function listCopy(list: readonly unknown[], depth: number): unknown {
  if ('toJSON' in list) return undefined;
  const copy: unknown[] = [];
  for (let index = 0; index < list.length; index += 1) {
    const item = Object.getOwnPropertyDescriptor(list, index);
    // JSON writes a gap as null.
    const plain = item ? jsonCopy(item.value, depth) : null;
    if (plain === undefined) return undefined;
    copy.push(plain);
  }
  return copy;
}

/** JSON leaves undefined fields out. */
function objectCopy(value: Readonly<Record<string, unknown>>, depth: number): unknown {
  const fields: [name: string, value: unknown][] = [];
  for (const name of Object.getOwnPropertyNames(value)) {
    const field = Object.getOwnPropertyDescriptor(value, name) ?? {};
    if (!('value' in field)) return undefined;
    if (field.value === undefined) continue;
    const plain = jsonCopy(field.value, depth);
    if (plain === undefined) return undefined;
    if (field.enumerable) fields.push([name, plain]);
  }
  // Unlike an assignment it also makes a field named `__proto__`.
  return Object.fromEntries(fields);
}

/** Says what is wrong with merchant metadata; undefined if nothing is. */
export function metadataProblem(value: unknown): string | undefined {
  if (!isPlainObject(value)) return SHAPE;
  return jsonCopy(value) === undefined ? CONTENT : undefined;
}

/** A plain JSON object, or left out. */
export const IsMetadata = (): PropertyDecorator => fieldRule('isMetadata', whenGiven(metadataProblem));

/** A request DTO class of the package. */
export interface RequestClass<T extends object> {
  new (): T;
}

const compiled = new Map<RequestClass<object>, CompiledRules | undefined>();

/** Returns false also if only class-validator can tell. */
export function passesRules(requestClass: RequestClass<object>, dto: object): boolean {
  if (!compiled.has(requestClass)) compiled.set(requestClass, compileRules(requestClass));
  const rules = compiled.get(requestClass);
  return rules !== undefined && passes(rules, dto);
}

/** The names of the fields of a request. */
export function fieldsOf(requestClass: RequestClass<object>): readonly string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(requestClass, '', false, false);
  return [...new Set(rules.map(({ propertyName }) => propertyName))];
}

type RuleMetadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

type Check = (dto: object, value: unknown) => boolean;

/** The rules of a class by field, read from class-validator once instead of at every request. */
interface CompiledRules {
  readonly fields: readonly (readonly [field: string, checks: readonly Check[]])[];
  readonly names: ReadonlySet<string>;
}

/** The type of rules made by `ValidateBy`. Other types have their own conditions. */
const PLAIN_RULE = 'customValidation';

/** The rules of a class; undefined if one of them is not a plain rule of one value. */
export function compileRules(type: new () => object): CompiledRules | undefined {
  const storage = getMetadataStorage();
  const metadata = storage.getTargetValidationMetadatas(type, '', false, false);
  if (metadata.length === 0 || !metadata.every(isPlain)) return undefined;
  const byField = Object.entries(storage.groupByPropertyName(metadata));
  return {
    names: new Set(byField.map(([field]) => field)),
    fields: byField.map(([field, rules]) => [field, rules.flatMap((rule) => checksOf(rule, type.name))]),
  };
}

/** Whether class-validator, told to forbid unknown fields, would find nothing wrong. */
export function passes({ fields, names }: CompiledRules, dto: object): boolean {
  for (const field of Object.keys(dto)) {
    if (!names.has(field)) return false;
  }
  const values = dto as Readonly<Record<string, unknown>>;
  for (const [field, checks] of fields) {
    for (const holds of checks) {
      if (!holds(dto, values[field])) return false;
    }
  }
  return true;
}

function isPlain(rule: RuleMetadata): boolean {
  const constraints = getMetadataStorage().getTargetValidatorConstraints(rule.constraintCls);
  return (
    rule.type === PLAIN_RULE && !rule.each && !rule.validateIf && constraints.every(({ async }) => !async)
  );
}

function checksOf(rule: RuleMetadata, targetName: string): Check[] {
  const { propertyName: property, constraints } = rule;
  return getMetadataStorage()
    .getTargetValidatorConstraints(rule.constraintCls)
    .map(
      ({ instance }) =>
        (object, value) =>
          // class-validator decides about a promise.
          instance.validate(value, { targetName, property, object, value, constraints }) === true,
    );
}
