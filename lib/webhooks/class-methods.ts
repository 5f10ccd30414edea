import { MetadataScanner } from '@nestjs/core';

/** A method of a class, by the name under which Nest calls it. */
export interface ClassMethod {
  readonly name: string;
  readonly method: object;
}

/** The methods of a prototype, inherited ones included; accessors are not touched. */
export function methodsOf(prototype: unknown): readonly ClassMethod[] {
  if (typeof prototype !== 'object' || prototype === null) return [];
  const members = prototype as Readonly<Record<string, object>>;
  return new MetadataScanner().getAllMethodNames(prototype).flatMap((name) => {
    const method = members[name];
    return typeof method === 'function' ? [{ name, method }] : [];
  });
}
