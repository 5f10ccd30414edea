import { inspect, types } from 'node:util';

/**
 * All texts and bytes that are reachable from a value through its own fields and entries, hidden ones included, without
 * white space. What a closure holds is not. Unlike `util.inspect`, it takes each object once: an application is large.
 */
export function reachableTexts(root: unknown): string {
  const texts: string[] = [];
  const seen = new Set<unknown>();
  const left: unknown[] = [root];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string') texts.push(value);
    if (value === null || !['object', 'function'].includes(typeof value) || seen.has(value)) continue;
    seen.add(value);
    if (types.isArrayBufferView(value)) texts.push(inspect(value, { maxArrayLength: null }), bytesOf(value));
    else left.push(...partsOf(value as object));
  }
  return texts.join('\n').replace(/\s+/g, '');
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  return [...new Uint8Array(buffer, byteOffset, byteLength)].join(',');
}

function partsOf(value: object): readonly unknown[] {
  const fields = Object.values(Object.getOwnPropertyDescriptors(value)).map(
    (field: PropertyDescriptor): unknown => field.value,
  );
  const symbols = Object.getOwnPropertySymbols(value).map(
    (symbol): unknown => Object.getOwnPropertyDescriptor(value, symbol)?.value,
  );
  if (types.isMap(value)) return [...fields, ...symbols, ...value.keys(), ...value.values()];
  return types.isSet(value) ? [...fields, ...symbols, ...value] : [...fields, ...symbols];
}
