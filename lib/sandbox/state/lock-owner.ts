import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process, told from a later one with the same id and from those of other containers. */
interface ProcessIdentity {
  readonly pid: number;
  /** When it started, on Linux: ids are used again. */
  readonly start: string;
  /** Where its id counts: the run of the machine, and in it the PID namespace (a container has its own). */
  readonly place: string;
}

/** What a lock holds. */
export interface LockOwner extends ProcessIdentity {
  /** Tells two locks of one process apart. */
  readonly id: string;
}

/** This process. */
export function thisProcess(): ProcessIdentity {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? hostname();
  const namespace = attempt(() => readlinkSync('/proc/self/ns/pid')) ?? '';
  return { pid: process.pid, start: startOf(process.pid), place: `${boot} ${namespace}` };
}

/**
 * Whether a process runs, as far as this one can see.
 *
 * @param startedAt When the process that has this id now started.
 */
export function presenceOf(
  owner: ProcessIdentity,
  self: ProcessIdentity,
  startedAt = startOf,
): 'running' | 'gone' | 'unknown' {
  if (owner.place !== self.place) return 'unknown';
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return 'gone';
  }
  const start = startedAt(owner.pid);
  // Empty: macOS and Windows say none, and Linux may hide the processes of other users.
  return start === '' || start === owner.start ? 'running' : 'gone';
}

/** Reads a lock. Undefined: it is none. */
export function ownerOf(content: string): LockOwner | undefined {
  const value = attempt(() => JSON.parse(content) as Partial<LockOwner> | null);
  if (typeof value !== 'object' || value === null) return undefined;
  const { pid, start, place, id } = value;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 0) return undefined;
  if (typeof start !== 'string' || typeof place !== 'string') return undefined;
  return typeof id === 'string' && /^[\da-f-]{36}$/.test(id) ? { pid, start, place, id } : undefined;
}

/** Whether two locks are one. */
export function isSameOwner(one: LockOwner | undefined, other: LockOwner): boolean {
  return one?.id === other.id;
}

function startOf(pid: number): string {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The name in brackets may contain spaces. The start is field 22, which is the 20th after it.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function attempt<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
