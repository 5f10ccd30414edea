import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type History } from './history.js';
import { type ReplicaMessage, STOPPED_MS } from './replica-settings.js';

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
  /** Killed replicas are started again once this resolves. */
  private held: Promise<unknown> = Promise.resolve();
  /** Tells `changed` when a replica starts, or listens. */
  private readonly news = new EventEmitter();
  private fail: (error: Error) => void = () => {};

  /**
   * @param urls The storage's address, one for the network before each replica.
   * @param settings The settings of every replica beside its address and its name.
   * @param name What tells its replicas from those of another fleet.
   */
  constructor(
    private readonly urls: readonly string[],
    private readonly program: string,
    private readonly settings: object,
    private readonly history: History,
    private readonly name = '',
  ) {
    this.failure = new Promise((_, reject) => (this.fail = reject));
    this.failure.catch(() => undefined);
    // Every caller may wait for a replica to listen.
    this.news.setMaxListeners(0);
    for (let place = 0; place < this.size; place += 1) this.launch(place);
  }

  get size(): number {
    return this.urls.length;
  }

  get started(): number {
    return this.lives;
  }

  portOf(place: number): number | undefined {
    return this.replicas[place]?.port;
  }

  /** Where the replica at this place listens, as soon as it does. */
  async portWhenListening(place: number): Promise<number> {
    return (await this.listening(place)).port!;
  }

  /** Kills the replica at this place as soon as it listens. */
  async kill(place: number): Promise<void> {
    const { life, child } = await this.listening(place);
    this.history.add({ what: 'killed', point: 'at random' }, life);
    await end(child);
  }

  /** Kills all replicas, and starts others once all that they had begun has ended, wherever it was. */
  async replaceAll(point: string, allEnded: () => Promise<void>): Promise<void> {
    let release = (): void => {};
    this.held = new Promise<void>((resolve) => (release = resolve));
    try {
      await this.killAll(point);
      await allEnded();
    } finally {
      release();
    }
  }

  /** Makes the replica at this place stand still for longer than its lease, as soon as it listens. */
  async stall(place: number): Promise<void> {
    const replica = await this.listening(place);
    this.history.add({ what: 'stopped', point: 'at random' }, replica.life);
    await this.standStill(replica);
  }

  /** Makes the replica at this place stand still, as soon as it listens, until the returned function is called. */
  async freeze(place: number, point: string): Promise<() => void> {
    const { life, child } = await this.listening(place);
    this.history.add({ what: 'stopped', point }, life);
    child.kill('SIGSTOP');
    return () => {
      this.history.add({ what: 'continued' }, life);
      child.kill('SIGCONT');
    };
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.killAll('at the end');
  }

  private async killAll(point: string): Promise<void> {
    const kill = async ({ life, child }: Replica): Promise<void> => {
      this.history.add({ what: 'killed', point }, life);
      await end(child);
    };
    await Promise.all(this.replicas.map(kill));
  }

  private async listening(place: number): Promise<Replica> {
    while (this.replicas[place]?.port === undefined) await once(this.news, 'changed');
    return this.replicas[place];
  }

  private async standStill({ life, child }: Replica): Promise<void> {
    child.kill('SIGSTOP');
    await pause(STOPPED_MS);
    this.history.add({ what: 'continued' }, life);
    child.kill('SIGCONT');
  }

  private async relaunch(place: number): Promise<void> {
    await this.held;
    if (!this.stopping) this.launch(place);
  }

  private launch(place: number): void {
    this.lives += 1;
    const life = `${this.name}${place + 1}.${this.lives}`;
    const settings = { ...this.settings, life, url: this.urls[place]! };
    const child = fork(this.program, [JSON.stringify(settings)], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const replica: Replica = { life, child };
    this.replicas[place] = replica;
    this.news.emit('changed');
    let complaint = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaint += text));
    child.on('message', (message: ReplicaMessage) => {
      if (!('port' in message)) {
        void this.standStill(replica);
        return;
      }
      replica.port = message.port;
      this.news.emit('changed');
    });
    child.once('exit', (code, signal) => {
      delete replica.port;
      if (this.stopping) return;
      if (signal === 'SIGKILL') void this.relaunch(place);
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
