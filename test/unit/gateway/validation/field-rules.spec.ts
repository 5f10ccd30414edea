import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import {
  IsInt,
  IsOptional,
  Min,
  registerDecorator,
  Validate,
  ValidateIf,
  ValidateNested,
  validateSync,
  type ValidationArguments,
  ValidatorConstraint,
} from 'class-validator';
import {
  compileRules,
  fieldRule,
  IsEmailAddress,
  IsMetadata,
  IsMoneyAmount,
  IsNetworkToken,
  isPlainObject,
  IsReference,
  IsText,
  IsTzPhone,
  IsTzs,
  metadataProblem,
  passes,
  passesRules,
  whenGiven,
} from '../../../../lib/gateway/validation/field-rules.js';

/** A request class whose only field has these rules. */
function classWith(...decorators: readonly PropertyDecorator[]): new () => { field: unknown } {
  class Request {
    field: unknown;
  }
  for (const decorator of decorators) decorator(Request.prototype, 'field');
  return Request;
}

/** What class-validator says about a field, by name of the rule. */
function complaints(rule: PropertyDecorator, field: unknown): Record<string, string> {
  const request = Object.assign(new (classWith(rule))(), { field });
  return Object.assign({}, ...validateSync(request).map(({ constraints }) => constraints)) as Record<
    string,
    string
  >;
}

const NO_STRING = 'field is required and must be a string';
const BLANK = 'field must not be blank: write at least one visible character, or ask for it again';
const HALF = 'field must be whole characters: it holds half of an emoji or of a similar sign';
const CONTROL = 'field must not hold control characters, such as a line break or a tab: take them out';
const ENDS = 'field must not begin or end with white space or an invisible character: trim it';
const TOO_LONG = 'field must be at most 255 bytes long: use the id of your order, not its description';
const NO_PHONE =
  'field must be a string of 255 and nine digits, without a plus sign, spaces or a leading 0: write 255712345678, which normalizeTzPhone() makes of 0712 345 678';
const NO_ADDRESS = 'field is required and must be an e-mail address: write name@example.com';
const NOT_TZS = 'field must be "TZS": leave it out, or write "TZS"';
const NO_NETWORK =
  'field must be a network name in upper case, words joined by underscores: write it as the gateway does, for example NET_ONE';
const NO_AMOUNT = 'field must be an amount of TZS: write a string such as "1180.50", a number or a bigint';
const NO_OBJECT = 'field must be a plain JSON object: write { orderId: "17" }, or leave it out';
const NO_JSON =
  'field must hold only strings, finite numbers, booleans, null, arrays and plain objects: turn dates, bigints and class instances into strings';

describe('a rule of a field', () => {
  it.each<[name: string, rule: PropertyDecorator, values: readonly unknown[]]>([
    ['isText', IsText(), ['a', ' a ', 'a\nb', '\u200b', 'x'.repeat(1_000), '😀']],
    ['isReference', IsReference(), ['a', 'a  b', 'é'.repeat(127) + 'e', 'x'.repeat(255), '😀']],
    ['isTzPhone', IsTzPhone(), ['255712345678', '255000000000']],
    [
      'isEmailAddress',
      IsEmailAddress(),
      [
        'a@b.co',
        'A.B_c-d+e9@x-y.9z.COM',
        `${'a'.repeat(64)}@example.com`,
        'é@example.com',
        "o'neil@example.com",
      ],
    ],
    ['isTzs', IsTzs(), ['TZS', undefined]],
    ['isNetworkToken', IsNetworkToken(), ['N', 'NET', 'N2', 'NET_ONE', 'NET_1', 'A_B2_C']],
    ['isMoneyAmount', IsMoneyAmount(), ['0.01', 1, 5n]],
    ['isMetadata', IsMetadata(), [undefined, {}, { a: 1 }]],
  ])('%s takes what the specification allows', (_, rule, values) => {
    for (const value of values) expect(complaints(rule, value)).toEqual({});
  });

  it.each<[name: string, rule: PropertyDecorator, message: string, values: readonly unknown[]]>([
    ['isText', IsText(), NO_STRING, [undefined, null, 1, true, {}, ['a']]],
    ['isText', IsText(), BLANK, ['', ' ', '  ', '\n\t', '\u00a0']],
    ['isText', IsText(), HALF, ['\ud83d', 'a\ude00', '\ude00\ud83d']],
    ['isReference', IsReference(), NO_STRING, [undefined, 5]],
    ['isReference', IsReference(), BLANK, ['', '  ', '\n']],
    ['isReference', IsReference(), HALF, ['order-\ud83d']],
    ['isReference', IsReference(), CONTROL, ['order\n1', 'order-1\t', '\0order', 'a\u0085b']],
    ['isReference', IsReference(), ENDS, [' a', 'a ', 'a  ', '  a', 'a\u200b', '\ufeffa']],
    ['isReference', IsReference(), TOO_LONG, ['x'.repeat(256), 'é'.repeat(128)]],
    [
      'isTzPhone',
      IsTzPhone(),
      NO_PHONE,
      [undefined, 255712345678, '+255712345678', '0712345678', '25571234567'],
    ],
    [
      'isEmailAddress',
      IsEmailAddress(),
      NO_ADDRESS,
      [
        undefined,
        null,
        5,
        ['a@b.co'],
        '',
        'a',
        'a@b',
        '@b.co',
        ' a@b.co',
        'a@b.co ',
        'a..b@c.co',
        'a@b..co',
        'a@b.c0',
      ],
    ],
    [
      'isEmailAddress',
      IsEmailAddress(),
      NO_ADDRESS,
      [
        `${'a'.repeat(65)}@b.co`,
        'a@-b.co',
        'a@b-.co',
        'a@b_c.co',
        '.a@b.co',
        'a.@b.co',
        'a@b.c',
        'a!@b@c.co',
        ' @b.co',
        'a b@c.co',
        'a. @b.co',
        'a@ .co',
        'a@b- .co',
        'a@b-c d.co',
        'a@b.12',
      ],
    ],
    ['isTzs', IsTzs(), NOT_TZS, [null, '', 'tzs', 'USD', 1]],
    [
      'isNetworkToken',
      IsNetworkToken(),
      NO_NETWORK,
      [
        undefined,
        1,
        ['NET'],
        '',
        'net',
        'Net',
        'NET ONE',
        'NET-ONE',
        '_NET',
        'NET_',
        'NET__ONE',
        '2NET',
        'NET_one',
      ],
    ],
    ['isMoneyAmount', IsMoneyAmount(), NO_AMOUNT, [undefined, null, {}]],
    ['isMetadata', IsMetadata(), NO_OBJECT, [null, [], 'a', 1, new Date(0), () => 1]],
    ['isMetadata', IsMetadata(), NO_JSON, [{ a: 1n }, { a: [new Date(0)] }]],
  ])('%s says "%s"', (name, rule, message, values) => {
    for (const value of values) expect(complaints(rule, value)).toEqual({ [name]: message });
  });

  it('is asked with the value and with the whole request', () => {
    const isOther = fieldRule('isOther', (value, request) =>
      value === (request as { field: unknown }).field && 'other' in request
        ? undefined
        : 'needs another field',
    );
    const type = classWith(isOther);
    expect(validateSync(Object.assign(new type(), { field: 1, other: 2 }))).toEqual([]);
    const [problem] = validateSync(Object.assign(new type(), { field: 1 }));
    expect(problem?.constraints).toEqual({ isOther: 'field needs another field' });
  });

  it('for a field that may be left out is not asked if the field is undefined, and is asked of null', () => {
    const rule = whenGiven((value, request) => `is ${String(value)} in ${JSON.stringify(request)}`);
    expect(rule(undefined, {})).toBeUndefined();
    expect(rule(null, { a: 1 })).toBe('is null in {"a":1}');
  });
});

describe('a plain object', () => {
  class Something {
    readonly field = 1;
  }

  it.each<[what: string, value: unknown]>([
    ['a literal', {}],
    ['one without a prototype', Object.create(null)],
    ['one of another realm', runInNewContext('({})')],
  ])('is %s', (_, value) => {
    expect(isPlainObject(value)).toBe(true);
  });

  it.each<[what: string, value: unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['a text', 'a'],
    ['a number', 1],
    ['a function', () => 1],
    ['a list', []],
    ['a list without a prototype', Object.setPrototypeOf([], null)],
    ['a date', new Date(0)],
    ['an instance', new Something()],
    ['one that inherits from another', Object.create({})],
  ])('is not %s', (_, value) => {
    expect(isPlainObject(value)).toBe(false);
  });
});

describe('metadata', () => {
  const lists = (depth: number): unknown[] => (depth === 1 ? [] : [lists(depth - 1)]);
  const objects = (depth: number): object => (depth === 1 ? {} : { a: objects(depth - 1) });
  const CONTENT = NO_JSON.replace('field ', '');

  it('may be thirty-two levels deep below itself, in lists and in objects', () => {
    expect(metadataProblem({ a: lists(32) })).toBeUndefined();
    expect(metadataProblem({ a: lists(33) })).toBe(CONTENT);
    expect(metadataProblem({ a: objects(32) })).toBeUndefined();
    expect(metadataProblem({ a: objects(33) })).toBe(CONTENT);
  });

  it('may hold a text, a number and null on its deepest level', () => {
    const deepest = (value: unknown): object => {
      let inner: object = { value };
      for (let level = 0; level < 32; level += 1) inner = { inner };
      return inner;
    };
    for (const value of ['a', 1, true, false, null, undefined])
      expect(metadataProblem(deepest(value))).toBeUndefined();
    for (const value of [Number.NaN, 1n, [], {}]) expect(metadataProblem(deepest(value))).toBe(CONTENT);
  });

  it('is judged by every value of it, not by one', () => {
    expect(metadataProblem({ a: 1n, b: 1 })).toBe(CONTENT);
    expect(metadataProblem({ a: 1, b: 1n })).toBe(CONTENT);
    expect(metadataProblem({ a: [1n, 1] })).toBe(CONTENT);
    expect(metadataProblem({ a: [1, 1n] })).toBe(CONTENT);
  });

  it('may not hide a value that a copy of it would show', () => {
    const hidden = (value: unknown): object => Object.defineProperty({}, 'a', { value, enumerable: false });
    expect(metadataProblem(hidden(1n))).toBe(CONTENT);
    expect(metadataProblem(hidden('a'))).toBeUndefined();
  });

  it('may not have a setter, or a getter of undefined', () => {
    const setter = Object.defineProperty({}, 'a', { set: () => undefined, enumerable: true });
    const getter = Object.defineProperty({}, 'a', { get: () => undefined, enumerable: true });
    expect([metadataProblem(setter), metadataProblem(getter)]).toEqual([CONTENT, CONTENT]);
  });
});

describe('the compiled rules of a class', () => {
  const isOne = fieldRule('isOne', (value) => (value === 1 ? undefined : 'must be 1'));
  const verdict = (type: new () => object, request: object): boolean =>
    passes(compileRules(type)!, Object.assign(new type(), request));

  it('take a request whose every field is fine, and refuse a wrong, a missing and an unknown field', () => {
    const type = classWith(isOne);
    expect(verdict(type, { field: 1 })).toBe(true);
    expect(verdict(type, { field: 2 })).toBe(false);
    expect(verdict(type, {})).toBe(false);
    expect(verdict(type, { field: 1, other: undefined })).toBe(false);
  });

  it('ask every rule of a field', () => {
    const type = classWith(IsInt(), Min(3));
    expect([2, 3, 3.5, 'a'].map((field) => verdict(type, { field }))).toEqual([false, true, false, false]);
  });

  it('ask a rule that belongs to a group, as class-validator does if nobody names a group', () => {
    const type = classWith(isOne, IsInt({ groups: ['one'] }));
    expect(compileRules(type)?.fields.map(([field, checks]) => [field, checks.length])).toEqual([
      ['field', 2],
    ]);
  });

  it('ask the rules of the class that it extends', () => {
    class Child extends classWith(isOne) {}
    expect(verdict(Child, { field: 1 })).toBe(true);
    expect(verdict(Child, { field: 2 })).toBe(false);
  });

  it('ask a rule as class-validator asks it', () => {
    const asked: unknown[] = [];
    const type = classWith((target, property) => {
      registerDecorator({
        name: 'isAsked',
        target: target.constructor,
        propertyName: String(property),
        constraints: ['a limit'],
        options: {},
        validator: {
          validate: (value: unknown, args?: ValidationArguments) => asked.push([value, args]) > 0,
        },
      });
    });
    const request = Object.assign(new type(), { field: 17 });
    expect(passes(compileRules(type)!, request)).toBe(true);
    validateSync(request);
    expect(asked[0]).toEqual([
      17,
      { targetName: 'Request', property: 'field', object: request, value: 17, constraints: ['a limit'] },
    ]);
    expect(asked[1]).toEqual(asked[0]);
  });

  it.each([
    ['a promise', Promise.resolve(true)],
    ['a text', 'true'],
    ['a number', 1],
  ])('take %s for no yes', (_, said) => {
    const type = classWith((target, property) => {
      registerDecorator({
        name: 'isSaid',
        target: target.constructor,
        propertyName: String(property),
        options: {},
        validator: { validate: () => said as unknown as boolean },
      });
    });
    expect(verdict(type, { field: 1 })).toBe(false);
  });

  it('judge a request of their class', () => {
    const type = classWith(isOne);
    const judged = (field: unknown): boolean => passesRules(type, Object.assign(new type(), { field }));
    expect([1, 2, 1].map(judged)).toEqual([true, false, true]);
  });

  it.each<[what: string, ...rules: PropertyDecorator[]]>([
    ['no field has a rule'],
    ['a field may be left out', IsOptional()],
    ['a rule has a condition of its own', ValidateIf(() => false)],
    ['a rule is one of nested objects', ValidateNested()],
    ['a rule is one of every item of a list', IsInt({ each: true })],
    ['a rule is asked only sometimes', IsInt({ validateIf: () => false })],
  ])('are none if %s', (_, ...rules) => {
    expect(compileRules(classWith(...rules))).toBeUndefined();
    expect(passesRules(classWith(...rules), {})).toBe(false);
    if (rules.length > 0) expect(compileRules(classWith(isOne, ...rules))).toBeUndefined();
  });

  it('are none if one of two constraints of a rule answers later', () => {
    class Twice {
      validate(): boolean {
        return true;
      }
    }
    ValidatorConstraint({ async: false })(Twice);
    expect(compileRules(classWith(Validate(Twice)))).toBeDefined();
    ValidatorConstraint({ async: true })(Twice);
    expect(compileRules(classWith(Validate(Twice)))).toBeUndefined();
  });

  it('are none if a rule answers later', () => {
    const type = classWith(isOne, (target, property) => {
      registerDecorator({
        name: 'isLater',
        target: target.constructor,
        propertyName: String(property),
        options: {},
        async: true,
        validator: { validate: () => Promise.resolve(true) },
      });
    });
    expect(compileRules(type)).toBeUndefined();
    expect(passesRules(type, Object.assign(new type(), { field: 1 }))).toBe(false);
  });
});
