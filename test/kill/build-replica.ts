import { resolve } from 'node:path';
import { buildChildProgram, type ChildProgram, type ChildProgramOptions } from '../support/child-program.js';
import { STORAGES, type StorageMode } from './plan.js';

/** Where the ORMs are installed, and nowhere else. */
export const ORMS = resolve('test/orms/node_modules');

/** The program of a replica that writes its effects as the storage under test asks for. */
export function buildReplica(
  mode: StorageMode,
  edit?: NonNullable<ChildProgramOptions['edit']>,
): Promise<ChildProgram> {
  const options = edit === undefined ? {} : { edit };
  return STORAGES[mode].orm === undefined
    ? buildChildProgram('test/kill/replica.ts', options)
    : buildChildProgram('test/orms/kill-replica.ts', { ...options, nodeModules: ORMS });
}
