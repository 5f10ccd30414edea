import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type History } from './history.js';
import { type ReplicaSettings } from './replica-settings.js';

interface Replica {
  readonly life: string;
  readonly child: ChildProcess;
  /** Undefined until it listens. */
  port?: number;
}

/** The replicas: whichever dies is started again at once. */
export class Fleet {
  /** Rejects when a replica ends though nobody killed it. */
  readonly failure: Promise<never>;
  private readonly replicas: Replica[] = [];
  private lives = 0;
  private stopping = false;
  private fail: (error: Error) => void = () => {};

  constructor(
    readonly size: number,
    private readonly program: string,
    private readonly settings: Omit<ReplicaSettings, 'life'>,
    private readonly history: History,
  ) {
    this.failure = new Promise((_, reject) => (this.fail = reject));
    this.failure.catch(() => undefined);
    for (let place = 0; place < size; place += 1) this.launch(place);
  }

  get started(): number {
    return this.lives;
  }

  portOf(place: number): number | undefined {
    return this.replicas[place]?.port;
  }

  /** Kills the replica at this place as soon as it listens. */
  async kill(place: number): Promise<void> {
    let replica = this.replicas[place]!;
    while (replica.port === undefined) {
      await Promise.race([once(replica.child, 'message'), once(replica.child, 'exit')]);
      replica = this.replicas[place]!;
    }
    this.history.add({ what: 'killed', point: 'at random' }, replica.life);
    await end(replica.child);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.all(this.replicas.map(({ child }) => end(child)));
  }

  private launch(place: number): void {
    this.lives += 1;
    const life = `${place + 1}.${this.lives}`;
    const child = fork(this.program, [JSON.stringify({ ...this.settings, life })], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const replica: Replica = { life, child };
    this.replicas[place] = replica;
    let complaint = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint += text));
    child.once('message', (port) => (replica.port = Number(port)));
    child.once('exit', (code, signal) => {
      delete replica.port;
      if (this.stopping) return;
      if (signal === 'SIGKILL') this.launch(place);
      else this.fail(new Error(`Replica ${life} ended by itself (${code ?? signal}): ${complaint}`));
    });
  }
}

/** Resolves when the process is gone. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
