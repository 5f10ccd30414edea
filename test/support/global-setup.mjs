import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setUp, tearDown } from './own-database.mjs';

export default async function globalSetup() {
  // What the workers bundle there (`cli-process.ts`) outlives them: they are killed.
  const bundles = join('node_modules', '.cache', `nestjs-payments-cli-${randomBytes(6).toString('hex')}`);
  process.env.TEST_BUNDLES = bundles;
  const ownDatabase = await setUp();
  return async () => {
    await tearDown(ownDatabase);
    rmSync(bundles, { recursive: true, force: true });
  };
}
