import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../../support/random.js';
import { Answered, problemsOf } from './answered.js';
import { Client } from './client.js';

/** A folder grows with its run: a new one keeps each comparison small. */
const KILLS_A_FOLDER = 25;
const CLIENTS = 4;
const LONGEST_LIFE_MS = 60;

export interface EmulatorKills {
  readonly kills: number;
  /** Answered changes that every later restart had to show. */
  readonly answered: number;
  readonly webhooks: number;
  readonly problems: readonly string[];
  /** Milliseconds from the fork to the first answer. */
  readonly slowestStartMs: number;
}

/** Kills an emulator again and again while clients change it, and compares what each restart shows. */
export async function runEmulatorKills(program: string, kills: number, seed: number): Promise<EmulatorKills> {
  const random = new Random(seed);
  const result = { kills: 0, answered: 0, webhooks: 0, problems: [] as string[], slowestStartMs: 0 };
  while (result.kills < kills && result.problems.length === 0) {
    const count = Math.min(KILLS_A_FOLDER, kills - result.kills);
    await killInOneFolder(program, count, random, result);
    result.kills += count;
  }
  return result;
}

async function killInOneFolder(
  program: string,
  kills: number,
  random: Random,
  result: { answered: number; webhooks: number; problems: string[]; slowestStartMs: number },
): Promise<void> {
  const data = mkdtempSync(join(tmpdir(), 'killed-emulator-'));
  const received = new Set<string>();
  const receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      // Some webhooks stay due for a while.
      const status = random.chance(0.3) ? 500 : 200;
      if (status === 200) received.add((JSON.parse(body) as { data: { reference: string } }).data.reference);
      response.writeHead(status).end();
    });
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const answered = new Answered();
  const client = new Client(random, answered, address);
  let running: ChildProcess | undefined;
  try {
    for (let killed = 0; killed <= kills; killed += 1) {
      const started = performance.now();
      const emulator = await start(program, data, address);
      running = emulator.child;
      answered.secret ??= emulator.secret;
      const shown = await client.look(emulator.url, emulator.secret);
      result.slowestStartMs = Math.max(result.slowestStartMs, performance.now() - started);
      result.problems.push(...problemsOf(answered, shown), ...(await client.repeat(emulator.url)));
      if (killed === kills) await deliverRest(emulator.url, answered, received, result.problems);
      else {
        // On a busy machine nothing is answered within some milliseconds: most lives wait for two answers.
        const changed = killed % 4 === 3 ? undefined : client.changed(2);
        const clients = Array.from({ length: CLIENTS }, () => client.run(emulator.url));
        await Promise.race([changed, Promise.all(clients)]);
        await pause(random.below(LONGEST_LIFE_MS));
        emulator.child.kill('SIGKILL');
        await Promise.all(clients);
      }
      emulator.child.kill('SIGKILL');
      if (emulator.child.signalCode === null) await once(emulator.child, 'exit');
    }
  } finally {
    running?.kill('SIGKILL');
    receiver.closeAllConnections();
    receiver.close();
    rmSync(data, { recursive: true });
  }
  result.answered += answered.count;
  result.webhooks += received.size;
}

/** Lets every delivery that is due come to its end. */
async function deliverRest(
  url: string,
  answered: Answered,
  received: ReadonlySet<string>,
  problems: string[],
): Promise<void> {
  await fetch(`${url}/_sandbox/v1/clock/advance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ by: '30h' }),
  });
  for (const reference of answered.approved)
    if (!received.has(reference)) problems.push(`the webhook of ${reference} never arrived`);
}

async function start(program: string, data: string, receiver: string) {
  const child = fork(program, [data, receiver], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ready = once(child, 'message') as Promise<[{ readonly url: string; readonly secret: string }]>;
  const gone = once(child, 'exit').then(() => Promise.reject(new Error('The emulator did not start again.')));
  gone.catch(() => undefined);
  const [{ url, secret }] = await Promise.race([ready, gone]);
  return { child, url, secret };
}
