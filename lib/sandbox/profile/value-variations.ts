import { type Choices } from './choices.js';

export type Fields = Readonly<Record<string, unknown>>;
export type Change = (fields: Fields, choices: Choices) => Fields;

/** Fields of the wire that hold amounts. */
export const MONEY_FIELDS: ReadonlySet<string> = new Set([
  'amount',
  'fee',
  'net_amount',
  'total_amount',
  'balance',
  'available_balance',
  'locked_balance',
]);

/** Writes every amount as another JSON type, or as a string with fewer decimals, with the same value. */
export function varyMoney(fields: Fields, choices: Choices): Fields {
  return mapFields(fields, (name, value) => (MONEY_FIELDS.has(name) ? anotherAmount(value, choices) : value));
}

function anotherAmount(value: unknown, choices: Choices): unknown {
  if (typeof value === 'number') return choices.pick([value.toFixed(2), String(value)]);
  if (typeof value !== 'string') return value;
  return choices.pick<string | number>([Number(value), value.replace(/\.?0+$/, ''), value]);
}

/** Writes timestamps with other precision, or with an offset instead of `Z`, for the same moment. */
export function varyTimestamps(
  fields: Fields,
  choices: Choices,
  fractions: 'may be absent' | 'shown',
): Fields {
  return mapFields(fields, (name, value) => {
    if (!name.endsWith('_at') || typeof value !== 'string') return value;
    const precise = value.replace('Z', '000Z');
    const forms: [string, ...string[]] = [precise, value.replace('Z', '+00:00')];
    if (fractions === 'may be absent' && value.endsWith('.000Z')) forms.push(value.replace('.000Z', 'Z'));
    return choices.pick(forms);
  });
}

/** Writes empty metadata in one of the usual forms. */
export function varyMetadata(fields: Fields, choices: Choices): Fields {
  const { metadata, ...others } = fields;
  if (!('metadata' in fields) || !isEmpty(metadata)) return fields;
  const form = choices.pick<unknown>(['absent', null, {}, []]);
  return form === 'absent' ? others : { ...others, metadata: form };
}

/** Writes numeric ids as strings. */
export function varyIds(fields: Fields): Fields {
  return mapFields(fields, (name, value) =>
    (name === 'id' || name === 'merchant_id') && typeof value === 'number' ? String(value) : value,
  );
}

const UNKNOWN_FIELDS: [readonly [string, unknown], ...(readonly [string, unknown])[]] = [
  ['trace', { span: '00f067aa0ba902b7', hops: [1, 2] }],
  ['warnings', []],
  ['version', 2],
  ['description', null],
  ['maelezo', 'Malipo yamepokelewa – asante ✓'],
];

export function addUnknownFields(fields: Fields, choices: Choices): Fields {
  return {
    ...fields,
    ...Object.fromEntries(choices.shuffled(UNKNOWN_FIELDS).slice(0, choices.between(1, 3))),
  };
}

/** Shuffles the order of fields. */
export function shuffleFields(fields: Fields, choices: Choices): Fields {
  return Object.fromEntries(choices.shuffled(Object.entries(fields)));
}

function mapFields(fields: Fields, change: (name: string, value: unknown) => unknown): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(name, value)]));
}

function isEmpty(metadata: unknown): boolean {
  return typeof metadata === 'object' && Object.keys(metadata ?? {}).length === 0;
}
