import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RedisServer } from '../support/redis-server.js';
import { ORMS } from './build-replica.js';
import { PostgresServer, postgresPrograms } from './postgres-server.js';
import { STORAGES, type StorageMode } from './plan.js';

/** A server of the run's own, which may be crashed and keeps what it confirmed. */
export interface Server {
  readonly url: string;
  /** Where Redis writes down each change. */
  appendOnlyFile?(): Promise<Buffer>;
  crash(): Promise<void>;
  stop(): Promise<void>;
}

/** What must be installed for this storage and is not. */
export function missingProgram(mode: StorageMode): string | undefined {
  if (STORAGES[mode].orm !== undefined && !existsSync(join(ORMS, 'typeorm')))
    return 'The ORM (npm run test:orms installs it)';
  if (STORAGES[mode].server === 'postgres')
    return postgresPrograms() === undefined ? 'PostgreSQL (initdb and postgres)' : undefined;
  return spawnSync('redis-server', ['--version']).status === 0 ? undefined : 'redis-server';
}

export function startServer(mode: StorageMode): Promise<Server> {
  if (STORAGES[mode].server === 'postgres') return PostgresServer.start(postgresPrograms() ?? '');
  // As docs/storage.md advises. With `appendfsync everysec` Redis answers before it writes while the disk is slow, and a
  // server that is killed then has forgotten what it answered.
  const advised = ['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction'];
  // Its file is read as a record of everything that changed.
  return RedisServer.start(...advised, '--auto-aof-rewrite-percentage', '0');
}
