/**
 * What is known about the sending of one attempt. The adapter writes it, the client reads it; both find it by the
 * attempt's abort signal, the one thing that passes through axios and its interceptors untouched.
 */
export interface SendWatch {
  /** The package's own adapter has the request, and will say when it starts. */
  watched: boolean;
  /** The first byte is about to leave. Never taken back, also when an interceptor sends again. */
  started: boolean;
}

/** A property, not a WeakMap: that costs the garbage collector more than the rest of an attempt. */
const WATCH = Symbol('nestjs-payments.send-watch');

type WatchedSignal = object & { [WATCH]?: SendWatch };

/** Starts watching the attempt that this signal belongs to. */
export function watchSending(signal: AbortSignal): SendWatch {
  const watch = { watched: false, started: false };
  (signal as WatchedSignal)[WATCH] = watch;
  return watch;
}

/** The watch of an attempt; undefined for a request that is not the package's. */
export function sendWatchOf(signal: object | undefined): SendWatch | undefined {
  return signal && (signal as WatchedSignal)[WATCH];
}

/** Whether bytes may have left. What nobody watched counts as sent. */
export function mayHaveBeenSent(watch: SendWatch): boolean {
  return !watch.watched || watch.started;
}
