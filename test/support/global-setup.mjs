import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setUp, tearDown } from './own-database.mjs';

export default async function globalSetup() {
  const ownDatabase = await setUp();
  return async () => {
    removeBundledCommands();
    await tearDown(ownDatabase);
  };
}

/** Removes what `cli-process.ts` made in the workers of this run. */
function removeBundledCommands() {
  const folder = join('node_modules', '.cache', 'nestjs-payments-cli');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names)
    if (name.includes(`-${process.pid}-`)) rmSync(join(folder, name), { force: true });
}
