import { setUp, tearDown } from './own-database.mjs';

export default async function globalSetup() {
  const ownDatabase = await setUp();
  return () => tearDown(ownDatabase);
}
