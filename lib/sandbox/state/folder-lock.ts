import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { PaymentsConfigError } from '../../errors/payments-errors.js';
import { isSameOwner, ownerOf, presenceOf, thisProcess, type LockOwner } from './lock-owner.js';
import { renamePatiently } from './patient-rename.js';

const NAME = 'lock';
const BEAT_MS = 1_000;
/** A holder that cannot be seen from here is gone if it did not touch its lock within this time. */
const SILENCE_MS = 10_000;
const LOOK_MS = 100;
/** A lock that was touched within this time is still held: half of the silence after which another takes it. */
const FRESH_MS = SILENCE_MS / 2;

/** What a lock is called in messages. */
interface LockWords {
  /** Who has it. */
  readonly holder: string;
  /** The option that names another one. */
  readonly other: string;
}

const SANDBOX: LockWords = { holder: 'sandbox', other: '`data` (--data)' };

/** This process no longer holds the folder. */
export class FolderLostError extends PaymentsConfigError {}

/** Another process took the folder over, while this one stood still. */
class FolderTakenError extends FolderLostError {
  constructor(thing: string, { holder }: LockWords) {
    super(
      `Another ${holder} took over ${thing}, because this one stood still for ${SILENCE_MS / 1000} s. This one no longer saves anything: stop it, and use the other one.`,
    );
  }
}

/** The lock does not exist any more. */
export class FolderLockGoneError extends FolderLostError {
  constructor(thing: string, file: string, { holder }: LockWords) {
    super(
      `The lock ${file} of ${thing} is gone: somebody removed it, or its folder, or another ${holder} had it for a while. This one no longer saves anything: stop it, and remove no lock while its ${holder} runs.`,
    );
  }
}

/** A folder that this process has. */
export interface FolderLock {
  /** Tells this hold of the folder from every other one. */
  readonly id: string;
  /**
   * Call it before each write.
   *
   * @throws FolderLostError if another process took the folder over, while this one stood still, or the lock is gone.
   */
  readonly assertHeld: () => void;
  /** Resolves if another process has taken the folder over, or the lock is gone. */
  readonly lost: Promise<FolderLostError>;
  /** Gives the folder back. */
  readonly release: () => void;
}

/**
 * Takes a folder for this process. The lock of a process that was killed does not count. It takes up to ten seconds
 * if the lock's process ran in another container or before a restart of the machine.
 *
 * @throws PaymentsConfigError if another process has the folder.
 */
export function lockFolder(folder: string, words = SANDBOX): Promise<FolderLock> {
  return lockWith(join(folder, NAME), `the folder ${folder}`, words);
}

/**
 * Takes something else than a folder in the same way.
 *
 * @param file The lock itself, which is gone when it is given back.
 * @param thing What it is called in messages: "the journal".
 * @throws PaymentsConfigError if another process has it.
 */
export async function lockWith(file: string, thing: string, words: LockWords): Promise<FolderLock> {
  const lock = await acquire(file, thing, words);
  let lose: (error: FolderLostError) => void = () => {};
  const lost = new Promise<FolderLostError>((resolve) => (lose = resolve));
  let seenAt = performance.now();
  const assertHeld = (): void => {
    const content = contentOf(file);
    if (content === undefined || !isSameOwner(ownerOf(content), lock)) {
      clearInterval(beat);
      const error =
        content === undefined
          ? new FolderLockGoneError(thing, file, words)
          : new FolderTakenError(thing, words);
      lose(error);
      throw error;
    }
    touch(file);
    seenAt = performance.now();
  };
  const beat = setInterval(() => {
    try {
      assertHeld();
    } catch {
      // `lost` reports it.
    }
  }, BEAT_MS).unref();
  return {
    id: lock.id,
    lost,
    assertHeld: () => {
      // Nobody takes over a lock that was touched a moment ago. After a pause of this process it may be gone.
      if (performance.now() - seenAt >= FRESH_MS) assertHeld();
    },
    release: () => {
      clearInterval(beat);
      release(file, lock);
    },
  };
}

/** A lock is never empty and never removed by anyone but its owner: a stale one is replaced in one step. */
async function acquire(file: string, thing: string, words: LockWords): Promise<LockOwner> {
  for (;;) {
    const mine: LockOwner = { ...thisProcess(), id: randomUUID() };
    if (create(file, mine)) return mine;
    const content = contentOf(file);
    if (content === undefined) continue;
    await assertGone(file, content, thing, words);
    if (await replace(file, content, mine, (right) => acquire(right, thing, words))) return mine;
  }
}

/** Only one process may replace a stale lock. The right to do so is a lock of its own, which can be stale as well. */
async function replace(
  file: string,
  stale: string,
  mine: LockOwner,
  take: (right: string) => Promise<LockOwner>,
): Promise<boolean> {
  const right = `${file}.${ownerOf(stale)?.id ?? 'unknown'}`;
  const holder = await take(right);
  try {
    if (contentOf(file) !== stale) return false;
    const draft = write(file, mine);
    renamePatiently(draft, file);
    return true;
  } finally {
    release(right, holder);
  }
}

function create(file: string, owner: LockOwner): boolean {
  const draft = write(file, owner);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function write(file: string, owner: LockOwner): string {
  const draft = `${file}.${owner.id}.new`;
  writeFileSync(draft, JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
  return draft;
}

function release(file: string, owner: LockOwner): void {
  if (isSameOwner(read(file), owner)) rmSync(file, { force: true });
}

/** @throws PaymentsConfigError if the owner runs. */
async function assertGone(
  file: string,
  content: string,
  thing: string,
  { holder: name, other }: LockWords,
): Promise<void> {
  const owner = ownerOf(content);
  const presence = owner === undefined ? 'unknown' : presenceOf(owner, thisProcess());
  if (presence === 'gone') return;
  if (presence === 'unknown' && (await isSilent(file, content, name))) return;
  const holder = presence === 'running' ? `Process ${owner?.pid}` : `A ${name} in another container`;
  throw new PaymentsConfigError(
    `${holder} uses ${thing} already: stop that ${name}, or name another one with ${other}. If it is no ${name}, remove ${file}.`,
  );
}

/** By this process' own clock: those of two machines may differ. */
async function isSilent(file: string, content: string, name: string): Promise<boolean> {
  process.stderr.write(
    `The lock ${file} is of another container or of an earlier run of this machine. Waiting up to ${SILENCE_MS / 1000} s to see whether its ${name} runs.\n`,
  );
  const before = touchedAt(file);
  for (let waited = 0; waited < SILENCE_MS; waited += LOOK_MS) {
    await pause(LOOK_MS);
    // Somebody gave it back or replaced it: the caller looks again.
    if (contentOf(file) !== content) return true;
    if (touchedAt(file) !== before) return false;
  }
  return true;
}

function read(file: string): LockOwner | undefined {
  return ownerOf(contentOf(file) ?? '');
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function touchedAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

function touch(file: string): void {
  const now = new Date();
  try {
    utimesSync(file, now, now);
  } catch {
    // The folder was removed, or the disk is read-only by now: the next write of the state reports it.
  }
}
