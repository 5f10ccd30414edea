import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  type FromQueueWorker,
  type QueueWorkerSettings,
  type ToQueueWorker,
} from '../programs/queue-worker.js';
import { type ProcessEnd } from './server-process.js';

/** A worker in a process of its own. */
export class QueueWorkerProcess {
  readonly heard: FromQueueWorker[] = [];
  readonly ended: Promise<ProcessEnd>;
  private readonly child: ChildProcess;
  private log = '';

  constructor(file: string, settings: QueueWorkerSettings) {
    this.child = fork(file, [JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    this.ended = once(this.child, 'exit').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
    }));
    this.child.on('message', (message) => this.heard.push(message as FromQueueWorker));
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.log += text));
    }
  }

  /** Resolves to the first message of this kind that has come or comes. */
  async until<What extends FromQueueWorker['what']>(
    what: What,
  ): Promise<Extract<FromQueueWorker, { what: What }>> {
    for (;;) {
      const found = this.heard.find((message) => message.what === what);
      if (found) return found as Extract<FromQueueWorker, { what: What }>;
      const more = await Promise.race([
        once(this.child, 'message').then(() => true),
        this.ended.then(() => false),
      ]);
      if (!more) this.fail(`'${what}'`);
    }
  }

  /** Resolves once the worker has written this text into its log. */
  async untilLogged(text: string): Promise<void> {
    const { stdout, stderr } = this.child;
    while (!this.log.includes(text)) {
      const more = [stdout, stderr].flatMap((stream) => (stream ? [once(stream, 'data')] : []));
      await Promise.race([...more, this.ended.then(() => this.fail(`logging '${text}'`))]);
    }
  }

  say(what: ToQueueWorker): void {
    this.child.send(what);
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  private fail(missing: string): never {
    throw new Error(`The worker ended without ${missing}:\n${this.log}`);
  }

  /** Whatever a failed test left behind. */
  async end(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    await this.ended;
  }
}
