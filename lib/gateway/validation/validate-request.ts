import { validateSync, getMetadataStorage } from 'class-validator';
import { formatCents, parseCents, type MoneyInput } from '../../common/money.js';
import { type PaymentsOperation } from '../../common/vocabulary.js';
import { type ResolvedLimits } from '../../config/resolved-options.js';
import { PaymentsValidationError } from '../../errors/payments-errors.js';

/** Problems of a request by field. */
export type FieldErrors = Record<string, string[]>;

/** A request DTO class of the package. */
export interface RequestClass<T extends object> {
  new (): T;
}

/**
 * Copies a request into its DTO class and checks it.
 *
 * @param configured Checks that depend on the module's options; asked only once the fields themselves are fine.
 * @throws PaymentsValidationError
 */
export function validateRequest<T extends object>(
  requestClass: RequestClass<T>,
  request: unknown,
  operation: PaymentsOperation,
  configured: (request: T) => FieldErrors = () => ({}),
): T {
  const errors: FieldErrors = {};
  const dto = copyFields(requestClass, request, errors);
  if (!hasErrors(errors) && !passesRules(requestClass, dto)) Object.assign(errors, fieldErrors(dto));
  if (!hasErrors(errors)) Object.assign(errors, configured(dto));
  if (hasErrors(errors)) throw new PaymentsValidationError(errors, { operation });
  return dto;
}

/** Copies own values only, so that what is checked is what is sent. */
function copyFields<T extends object>(
  requestClass: RequestClass<T>,
  request: unknown,
  errors: FieldErrors,
): T {
  const dto = new requestClass();
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    errors['request'] = [
      `the request must be an object: write { … } with the fields of ${requestClass.name}`,
    ];
    return dto;
  }
  const values = dto as Record<string, unknown>;
  for (const field of Object.getOwnPropertyNames(request)) {
    const property = Object.getOwnPropertyDescriptor(request, field) ?? {};
    if (field in Object.prototype) {
      errors['request'] = [`the request must not have a field named ${field}: remove it`];
    } else if (!('value' in property)) {
      errors[field] = [
        `${field} must be a plain value: it is a getter, whose value could change before sending`,
      ];
    } else if (property.value === undefined) {
      continue;
    } else if (property.enumerable) {
      values[field] = property.value;
    } else {
      Object.defineProperty(dto, field, { ...property, writable: true, configurable: true });
    }
  }
  return dto;
}

const compiled = new Map<RequestClass<object>, CompiledRules | undefined>();

/** False also where only class-validator can tell. */
function passesRules(requestClass: RequestClass<object>, dto: object): boolean {
  if (!compiled.has(requestClass)) compiled.set(requestClass, compileRules(requestClass));
  const rules = compiled.get(requestClass);
  return rules !== undefined && passes(rules, dto);
}

function fieldErrors(dto: object): FieldErrors {
  const errors: FieldErrors = {};
  for (const { property, constraints = {} } of validateSync(dto, {
    whitelist: true,
    forbidNonWhitelisted: true,
  })) {
    errors[property] =
      'whitelistValidation' in constraints
        ? [
            `${property} is not a field of this request: remove it, or put it into metadata where the request has one`,
          ]
        : Object.values(constraints);
  }
  return errors;
}

/** Whether an amount keeps to the configured limits. */
export function limitErrors(amount: MoneyInput, { minCents, maxCents }: ResolvedLimits): FieldErrors {
  if (minCents === undefined && maxCents === undefined) return {};
  const cents = parseCents(String(amount)) ?? 0n;
  if (minCents !== undefined && cents < minCents) {
    return {
      amount: [`amount must be at least ${formatCents(minCents)}, the limit in the module's options`],
    };
  }
  if (maxCents !== undefined && cents > maxCents) {
    return { amount: [`amount must be at most ${formatCents(maxCents)}, the limit in the module's options`] };
  }
  return {};
}

function hasErrors(errors: FieldErrors): boolean {
  return Object.keys(errors).length > 0;
}

/** What class-validator knows of one rule. */
type RuleMetadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** A rule of one field, as class-validator would ask it. */
type Check = (dto: object, value: unknown) => boolean;

/** The rules of a class by field, read from class-validator once instead of at every request. */
export interface CompiledRules {
  readonly fields: readonly (readonly [field: string, checks: readonly Check[]])[];
  readonly names: ReadonlySet<string>;
}

/** What `ValidateBy` writes; another kind has conditions of its own. */
const PLAIN_RULE = 'customValidation';

/**
 * The rules of a class; undefined where one of them is more than a plain rule of one value, which only class-validator
 * itself can judge.
 */
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
          // A promise is no verdict: class-validator decides what becomes of it.
          instance.validate(value, { targetName, property, object, value, constraints }) === true,
    );
}
