import { validateSync } from 'class-validator';
import { formatCents, parseCents, type MoneyInput } from '../../common/money.js';
import { type PaymentsOperation } from '../../common/operations.js';
import { type ResolvedLimits } from '../../config/resolved-options.js';
import { fieldsOf, jsonCopy, passesRules, type RequestClass } from './field-rules.js';
import { insteadOf, wrongRequest } from './wrong-request.js';

/** Problems of a request by field. */
type FieldErrors = Record<string, string[]>;

/** What the module's options allow, of what the fields' own rules allow. */
interface AllowedByOptions {
  readonly limits: Pick<ResolvedLimits, 'minCents' | 'maxCents' | 'perDay'>;
  /** Only for a request that names a network. Undefined: any network. */
  readonly networks?: ReadonlySet<string> | undefined;
}

/**
 * Copies a request into its DTO class and checks it.
 *
 * @param allowed Compared only if the fields themselves are valid.
 * @throws PaymentsValidationError
 */
export function validateRequest<T extends object>(
  requestClass: RequestClass<T>,
  request: unknown,
  operation: PaymentsOperation,
  allowed?: AllowedByOptions,
): T {
  const errors: FieldErrors = {};
  const dto = copyFields(requestClass, request, errors);
  if (!hasErrors(errors) && !passesRules(requestClass, dto))
    Object.assign(errors, fieldErrors(dto, fieldsOf(requestClass)));
  if (allowed && !hasErrors(errors)) Object.assign(errors, optionErrors(dto, allowed));
  if (hasErrors(errors)) throw wrongRequest(errors, { operation });
  return dto;
}

/** Copies own values only, and what they hold, so that exactly the checked values are sent. */
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
    } else if (property.value !== undefined) {
      const given: unknown = property.value;
      // What cannot be copied breaks a rule.
      const value = typeof given === 'object' ? (jsonCopy(given) ?? given) : given;
      if (property.enumerable) values[field] = value;
      else Object.defineProperty(dto, field, { value, writable: true, configurable: true });
    }
  }
  return dto;
}

const NO_FIELD = 'remove it, or put it into metadata if the request has one';

function fieldErrors(dto: object, fields: readonly string[]): FieldErrors {
  const errors: FieldErrors = {};
  const missing = fields.filter((field) => (dto as Record<string, unknown>)[field] === undefined);
  for (const { property, constraints = {} } of validateSync(dto, {
    whitelist: true,
    forbidNonWhitelisted: true,
  })) {
    errors[property] =
      'whitelistValidation' in constraints
        ? [`${property} is not a field of this request: ${insteadOf(property, missing, '', NO_FIELD)}`]
        : Object.values(constraints);
  }
  return errors;
}

function optionErrors(
  { amount, network }: { readonly amount?: MoneyInput; readonly network?: string },
  { limits, networks }: AllowedByOptions,
): FieldErrors {
  return {
    ...(amount !== undefined && limitErrors(amount, limits)),
    ...(network !== undefined && networks && networkErrors(network, networks)),
  };
}

/** Whether an amount keeps to the configured limits. */
function limitErrors(
  amount: MoneyInput,
  { minCents, maxCents, perDay }: AllowedByOptions['limits'],
): FieldErrors {
  const cents = parseCents(String(amount)) ?? 0n;
  const least = minCents ?? cents;
  const most = maxCents ?? cents;
  if (cents < least)
    return { amount: [`amount must be at least ${formatCents(least)}, the limit in the module's options`] };
  if (cents > most)
    return { amount: [`amount must be at most ${formatCents(most)}, the limit in the module's options`] };
  // No other day has room for it either.
  const wholeDay = BigInt(perDay?.maxCents ?? cents);
  if (cents > wholeDay)
    return {
      amount: [`amount must be at most ${formatCents(wholeDay)}, the cap of a day in the module's options`],
    };
  return {};
}

function networkErrors(network: string, networks: ReadonlySet<string>): FieldErrors {
  if (networks.has(network)) return {};
  return { network: [`network must be one of the networks option: ${[...networks].join(', ')}`] };
}

function hasErrors(errors: FieldErrors): boolean {
  return Object.keys(errors).length > 0;
}
