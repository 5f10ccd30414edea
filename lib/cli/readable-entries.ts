import { type Dirent, readdirSync } from 'node:fs';

/** The entries of a folder; none if this user may not read it, as the data folder of a database. */
export function readableEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM'))
      return [];
    throw error;
  }
}
