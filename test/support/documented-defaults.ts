import { runInNewContext } from 'node:vm';
import { documentedOptions } from './documented-options.js';

/** An option whose documentation names the value that counts if it is left out. */
export interface DocumentedDefault {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The `@default`s of an interface and of its sections, if they are values and not words. */
export function documentedDefaults(
  files: readonly string[],
  interfaceName: string,
): readonly DocumentedDefault[] {
  return documentedOptions(files, interfaceName).flatMap(({ path, byDefault }) => {
    if (byDefault === undefined) return [];
    try {
      return [{ path, value: runInNewContext(`(${byDefault})`) as unknown }];
    } catch {
      return []; // it is said in words
    }
  });
}
