import { isBuiltin } from 'node:module';

/** Whether this Node.js has its own SQLite. Asking does not load it: that prints a warning in Node.js 22. */
export function hasSqlite(): boolean {
  return isBuiltin('node:sqlite');
}
