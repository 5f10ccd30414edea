import { dirname } from 'node:path';
import { jsonObject } from '../common/json-object.js';
import { textOfFile } from './text-file.js';

/** The JSON object in a file; undefined if there is none. */
export function jsonFile(path: string): object | undefined {
  try {
    return jsonObject(textOfFile(path));
  } catch {
    return undefined;
  }
}

/** A folder and all folders above it. */
export function foldersUp(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUp(above)];
}
