import { resolve } from 'node:path';
import { type GatewayProfile } from '../gateway-profile/gateway-profile.js';
import { readProfile } from '../gateway-profile/read-profile.js';
import { textOfFile, unreadable } from './text-file.js';
import { asUsage, UsageError } from './usage-error.js';

/**
 * Reads a profile that `conformance --out` wrote.
 *
 * @param option Names the file: `--profile`.
 * @param meant What to ask if there is no such file: `Did you mean …?`
 * @throws UsageError that names every wrong field.
 */
export function readProfileFile(option: string, name: string, folder: string, meant = ''): GatewayProfile {
  const text = contentOf(option, resolve(folder, name), meant);
  return asUsage(() => readProfile(parsed(text, name), name));
}

function contentOf(option: string, path: string, meant: string): string {
  try {
    return textOfFile(path);
  } catch (error) {
    throw unreadable(option, error, `name a profile such as gateway.json.${meant}`);
  }
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`${name} is no JSON: name a profile that \`conformance --out\` wrote.`);
  }
}
