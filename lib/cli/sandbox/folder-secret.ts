import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { bytesIfExists } from '../text-file.js';

const OWNER_ONLY = { folder: 0o700, file: 0o600 } as const;
const FILE = 'webhook-secret-key';
const KEY = /^[\da-f]{64}$/;
/** As many as the schemes want at least. */
const SECRET_BYTES = 24;

/**
 * The webhook secret of the emulators that start in a folder: the same one at every start, and another one on every
 * machine. It comes from a random key of this user, which is made once. Nobody who reads this package knows it.
 *
 * @returns Undefined if the user has no folder for the key, or it cannot be written or read.
 */
export function folderSecret(folder: string, environment: NodeJS.ProcessEnv): string | undefined {
  const state = stateFolderOf(environment);
  const key = state === undefined ? undefined : keyIn(join(state, 'nestjs-payments'));
  if (key === undefined) return undefined;
  // The native one: the other keeps the case of the letters that somebody typed, on Windows and macOS.
  const bytes = createHmac('sha256', Buffer.from(key, 'hex')).update(realpathSync.native(folder)).digest();
  return `whsec_${bytes.subarray(0, SECRET_BYTES).toString('base64')}`;
}

/** Where programs of this user keep state (XDG Base Directory Specification). It ignores a relative path. */
export function stateFolderOf({
  XDG_STATE_HOME: state = '',
  LOCALAPPDATA: windows = '',
  HOME: home = '',
}: NodeJS.ProcessEnv): string | undefined {
  if (isAbsolute(state)) return state;
  if (isAbsolute(windows)) return windows;
  return isAbsolute(home) ? join(home, '.local', 'state') : undefined;
}

function keyIn(folder: string): string | undefined {
  try {
    const file = join(folder, FILE);
    const known = contentOf(file) ?? made(folder, file);
    return KEY.test(known) ? known : undefined;
  } catch {
    return undefined;
  }
}

function contentOf(file: string): string | undefined {
  return bytesIfExists(file)?.toString('utf8').trim();
}

/** Several starts at once make one key: the file gets its name when it is whole, and the first one has it. */
function made(folder: string, file: string): string {
  mkdirSync(folder, { recursive: true, mode: OWNER_ONLY.folder });
  const draft = `${file}.${randomUUID()}.new`;
  writeFileSync(draft, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: OWNER_ONLY.file });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return contentOf(file) ?? '';
}
