import { fieldRule, whenGiven } from './field-rule.js';

const SHAPE = 'must be a plain JSON object: write { orderId: "17" }, or leave it out';
const CONTENT =
  'must hold only strings, finite numbers, booleans, null, arrays and plain objects: turn dates, bigints and class instances into strings';
const MAX_DEPTH = 32;

/** Whether a value is an object literal, so that JSON shows all of it. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Not compared with Object.prototype: a test runner's objects come from another realm.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isJson(value: unknown, depth: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  // The bound also ends a circle.
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => isJson(item, depth + 1));
  return isPlainObject(value) && holdsJson(value, depth + 1);
}

/** Fields that are undefined are left out by JSON, as everywhere; a getter could change between check and sending. */
function holdsJson(value: Record<string, unknown>, depth: number): boolean {
  return Object.getOwnPropertyNames(value).every((name) => {
    const field = Object.getOwnPropertyDescriptor(value, name) ?? {};
    return 'value' in field && (field.value === undefined || isJson(field.value, depth));
  });
}

/** Says what is wrong with merchant metadata, or undefined when it is fine. */
export function metadataProblem(value: unknown): string | undefined {
  if (!isPlainObject(value)) return SHAPE;
  return holdsJson(value, 0) ? undefined : CONTENT;
}

/** A plain JSON object, or left out. */
export const IsMetadata = (): PropertyDecorator => fieldRule('isMetadata', whenGiven(metadataProblem));
