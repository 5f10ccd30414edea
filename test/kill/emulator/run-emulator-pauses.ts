import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../../support/random.js';
import { Answered, problemsOf } from './answered.js';
import { Client } from './client.js';

/** A process namespace of its own, as a container has: nobody outside can see whether the emulator runs. */
const CONTAINER = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'];
const LONGEST_LIFE_MS = 2_000;
const CLIENTS = 4;
/** Within this time an emulator that has lost its folder stops. */
const LONGEST_GOODBYE_MS = 5_000;
/** Nobody listens there: the webhooks stay due. */
const NO_RECEIVER = 'http://127.0.0.1:9/';

export interface EmulatorPauses {
  /** Answered changes that the emulator which took the folder over had to show, and the one after it. */
  readonly answered: number;
  readonly problems: readonly string[];
}

interface Container {
  readonly url: string;
  readonly secret: string;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly gone: Promise<unknown>;
}

/**
 * Pauses an emulator in its container while clients change it, as `docker pause` does, until another container has
 * taken its folder over. Then both get calls. Each pause has a folder of its own; all run at once.
 */
export async function runEmulatorPauses(
  program: string,
  pauses: number,
  seed: number,
): Promise<EmulatorPauses> {
  const seeds = Array.from({ length: pauses }, (_, index) => seed + index);
  const results = await Promise.all(seeds.map((one) => pauseInOneFolder(program, new Random(one))));
  return {
    answered: results.reduce((sum, { answered }) => sum + answered, 0),
    problems: results.flatMap(({ problems }) => problems),
  };
}

async function pauseInOneFolder(program: string, random: Random): Promise<EmulatorPauses> {
  const data = mkdtempSync(join(tmpdir(), 'paused-emulator-'));
  const stops: (() => Promise<unknown>)[] = [];
  const start = () => startContainer(program, data, stops);
  const answered = new Answered();
  const client = new Client(random, answered, NO_RECEIVER);
  const callOften = (url: string) => Promise.all(Array.from({ length: CLIENTS }, () => client.run(url)));
  try {
    const first = await start();
    answered.secret = first.secret;
    const before = callOften(first.url);
    await pause(random.below(LONGEST_LIFE_MS));
    first.signal('SIGSTOP');
    // It waits for a sign of life of the first one, and takes the folder.
    const second = await start();
    const taken = problemsOf(answered, await client.look(second.url, second.secret));
    const after = callOften(second.url);
    first.signal('SIGCONT');
    const left = await Promise.race([first.gone.then(() => true), pause(LONGEST_GOODBYE_MS, false)]);
    if (!left) first.signal('SIGKILL');
    await before;
    second.signal('SIGKILL');
    await Promise.all([second.gone, after]);
    const third = await start();
    const kept = problemsOf(answered, await client.look(third.url, third.secret));
    const stayed = left ? [] : ['an emulator without its folder did not stop'];
    return { answered: answered.count, problems: [...taken, ...kept, ...stayed] };
  } finally {
    await Promise.all(stops.map((stop) => stop()));
    rmSync(data, { recursive: true });
  }
}

async function startContainer(
  program: string,
  data: string,
  stops: (() => Promise<unknown>)[],
): Promise<Container> {
  const child = spawn('unshare', [...CONTAINER, process.execPath, program, data, NO_RECEIVER], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const gone = once(child, 'exit');
  stops.push(() => {
    child.kill('SIGKILL');
    return gone;
  });
  const ready = once(child, 'message') as Promise<[{ readonly url: string; readonly secret: string }]>;
  const [{ url, secret }] = await Promise.race([
    ready,
    gone.then(() => Promise.reject(new Error('The emulator did not start.'))),
  ]);
  const inside = Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'));
  return { url, secret, gone, signal: (signal) => void process.kill(inside, signal) };
}
