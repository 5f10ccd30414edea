// The parts of a shard: a PostgreSQL server, and the processes of the package that share it.
import { Places } from './engine.mjs';

/** As in lib/storage/postgres/group-commit.ts. */
export const MOST_TOGETHER = 32;

/** How long other work of a machine keeps a core each time: about as long as Linux lets it. */
const OTHERS_MS = 1;

/** The cores of a machine. Without a number of cores, each process has one of its own. */
export function machine(clock, cores) {
  if (cores === undefined) return { run: (ms, done) => clock.after(ms, done) };
  const places = new Places(clock, cores);
  return { places, run: (ms, done) => places.run(ms, done) };
}

/** Lets other work use a share of the cores of a machine. */
export function useByOthers({ clock, random }, { run }, { cores, others }) {
  if (others === 0) return;
  const pauseMs = OTHERS_MS / (cores * others);
  const next = () => {
    run(OTHERS_MS, () => undefined);
    clock.after(-Math.log(1 - random()) * pauseMs, next);
  };
  next();
}

/** A server: its connections use the cores, and all commits that wait for the disk share its next write. */
export class Server {
  #clock;
  #cores;
  #options;
  #waiting = [];
  #isWriting = false;
  #writes = 0;

  /** @param options `flushMs`, `roundTripMs`, and CPU: `groupMs` for a round trip, and what each statement adds. */
  constructor(clock, cores, options) {
    this.#clock = clock;
    this.#cores = cores;
    this.#options = options;
  }

  /** Runs statements that share a round trip and a commit. */
  answer(statements, done) {
    const { roundTripMs, groupMs } = this.#options;
    const cpuMs = statements.reduce((sum, { serverMs }) => sum + serverMs, groupMs);
    const writes = statements.some((statement) => statement.writes);
    this.#clock.after(roundTripMs, () =>
      this.#cores.run(cpuMs, () => (writes ? this.#commit(done) : done())),
    );
  }

  /** How many writes of its log there were. */
  get writes() {
    return this.#writes;
  }

  #commit(done) {
    this.#waiting.push(done);
    if (!this.#isWriting) this.#write();
  }

  #write() {
    const written = this.#waiting;
    this.#waiting = [];
    this.#isWriting = true;
    this.#writes += 1;
    this.#clock.after(this.#options.flushMs, () => {
      this.#isWriting = false;
      if (this.#waiting.length > 0) this.#write();
      for (const done of written) done();
    });
  }
}

/** One process: one thread, a pool of connections whose statements share commits, and connections to the gateway. */
export class Process {
  #clock;
  #waiting = [];
  #isAsking = false;
  groups = 0;
  statements = 0;
  /** How many statements have waited for a connection at once. */
  mostWaiting = 0;

  constructor(clock, { server, cores, connections, gatewayConnections }) {
    this.#clock = clock;
    this.server = server;
    this.cores = cores;
    this.thread = new Places(clock, 1);
    this.pool = new Places(clock, connections);
    this.gateway = new Places(clock, gatewayConnections);
  }

  /** Uses the thread: a turn of the event loop. */
  think(ms, done) {
    this.thread.hold((release) =>
      this.cores.run(ms, () => {
        release();
        done();
      }),
    );
  }

  /**
   * Sends a statement, and thinks about its answer. What is asked for in the same turn may share a commit.
   *
   * @param thoughtMs How long that takes.
   */
  ask(statement, thoughtMs, done) {
    this.#waiting.push({ ...statement, thoughtMs, done });
    this.mostWaiting = Math.max(this.mostWaiting, this.#waiting.length);
    if (this.#waiting.length === 1) this.#clock.after(0, () => this.#serve());
  }

  /** Sends a request to the gateway, and thinks about its answer. */
  send(answer, thoughtMs, done) {
    this.gateway.hold((release) =>
      answer(() =>
        this.think(thoughtMs, () => {
          release();
          done();
        }),
      ),
    );
  }

  #serve() {
    if (this.#isAsking || this.#waiting.length === 0) return;
    this.#isAsking = true;
    this.pool.hold((release) => {
      this.#isAsking = false;
      const group = this.#waiting.splice(0, MOST_TOGETHER);
      this.groups += 1;
      this.statements += group.length;
      this.#serve();
      const thoughtMs = group.reduce((sum, each) => sum + each.thoughtMs, 0);
      // A connection is held until the thread has a turn for its answer.
      this.server.answer(group, () =>
        this.think(thoughtMs, () => {
          for (const { done } of group) done();
          release();
        }),
      );
    });
  }

  get places() {
    const { thread, pool, gateway } = this;
    return { thread, pool, gateway };
  }
}
