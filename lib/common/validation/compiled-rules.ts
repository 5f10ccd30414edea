import { getMetadataStorage } from 'class-validator';

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
