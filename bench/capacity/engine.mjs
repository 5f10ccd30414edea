// The parts of a discrete-event simulation: a clock with events, random numbers, and what work queues for.

/** Calls functions in the order of their times. */
export class Clock {
  now = 0;
  #heap = [];

  /** Calls `work` so many milliseconds from now. Two at the same time: the one that was asked for first. */
  after(ms, work) {
    const event = { at: this.now + ms, order: (this.#asked += 1), work };
    const heap = this.#heap;
    let index = heap.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (isBefore(heap[parent], event)) break;
      heap[index] = heap[parent];
      index = parent;
    }
    heap[index] = event;
  }

  runUntil(end) {
    while (this.#heap.length > 0 && this.#heap[0].at <= end) {
      const { at, work } = this.#take();
      this.now = at;
      work();
    }
    this.now = end;
  }

  #asked = 0;

  #take() {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child += 1;
      if (isBefore(last, heap[child])) break;
      heap[index] = heap[child];
      index = child;
    }
    heap[index] = last;
    return first;
  }
}

function isBefore(one, other) {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Places that work holds for a while: a thread, cores, connections. What finds none waits in its order. */
export class Places {
  longestQueue = 0;
  #clock;
  #count;
  #held = 0;
  #waiting = [];
  #first = 0;
  #heldMs = 0;
  #since = 0;

  constructor(clock, count) {
    this.#clock = clock;
    this.#count = count;
  }

  /** Calls `work` with a function that gives the place back. */
  hold(work) {
    if (this.#held === this.#count) {
      this.#waiting.push(work);
      this.longestQueue = Math.max(this.longestQueue, this.#waiting.length - this.#first);
      return;
    }
    this.#account();
    this.#held += 1;
    work(this.#release);
  }

  /** Holds a place for so many milliseconds. */
  run(ms, done) {
    this.hold((release) =>
      this.#clock.after(ms, () => {
        release();
        done();
      }),
    );
  }

  /** Measures from now on. */
  reset() {
    this.#account();
    this.#heldMs = 0;
    this.longestQueue = 0;
  }

  /** The share of the places that were held, over so many milliseconds that have just ended. */
  utilization(ms) {
    this.#account();
    return this.#heldMs / (ms * this.#count);
  }

  #release = () => {
    if (this.#first < this.#waiting.length) {
      const next = this.#waiting[this.#first];
      this.#first += 1;
      if (this.#first > 1_024) {
        this.#waiting = this.#waiting.slice(this.#first);
        this.#first = 0;
      }
      next(this.#release);
      return;
    }
    this.#account();
    this.#held -= 1;
  };

  #account() {
    this.#heldMs += this.#held * (this.#clock.now - this.#since);
    this.#since = this.#clock.now;
  }
}
