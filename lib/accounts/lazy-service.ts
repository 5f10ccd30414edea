import { performance } from 'node:perf_hooks';
import { allowManyListeners } from '../common/abort-signal.js';
import { type InFlight } from '../common/in-flight.js';
import { isRecord } from '../common/json-object.js';
import { LONGEST_TIMER_MS, withDeadline } from '../common/timing.js';
import { accountTooLate } from './account-lookups.js';
import { copyArguments } from './copy-arguments.js';

/** A service in use. Call `release` at the end of its work. */
export interface HeldService<Service> {
  readonly service: Service;
  readonly release: () => void;
}

/** A service that must be found first. */
interface AwaitedService<Service> {
  readonly find: () => Promise<HeldService<Service>>;
  /** Where the work waits for it; undefined: nothing limits how much waits. */
  readonly places?: WaitingPlaces | undefined;
}

/** The places of work, which has one already while it waits for its service. */
export interface WaitingPlaces {
  readonly inFlight: InFlight;
  /** The error of work that finds none. */
  readonly refusal: () => Error;
}

/** Gives a service for one piece of work, at once if it is there. */
type HoldService<Service> = () => HeldService<Service> | AwaitedService<Service>;

type Method = (...args: unknown[]) => unknown;
type Methods = Record<string, Method>;
interface Lazy {
  readonly [HOLD]: HoldService<Methods>;
}

const HOLD = Symbol('nestjs-payments.hold-service');
const ASYNC_GENERATOR = Object.getPrototypeOf(async function* () {}) as object;
const prototypes = new WeakMap<object, object>();

/**
 * A service whose methods wait for the service behind it. It is an instance of the class, and costs one object.
 *
 * @param type The class of the service. Its methods return promises or async iterables.
 */
export function lazyService<Service extends object>(
  type: { readonly prototype: Service },
  hold: HoldService<Service>,
): Service {
  let prototype = prototypes.get(type);
  if (!prototype) prototypes.set(type, (prototype = lazyPrototype(type.prototype)));
  return Object.create(prototype, { [HOLD]: { value: hold } }) as Service;
}

function lazyPrototype(service: object): object {
  const descriptors: Record<string, PropertyDescriptor> = Object.getOwnPropertyDescriptors(service);
  const methods = Object.entries(descriptors).flatMap(([name, { value }]) =>
    name !== 'constructor' && typeof value === 'function' ? [[name, lazyMethod(name, value as Method)]] : [],
  );
  const prototype = Object.create(service) as object;
  return Object.assign(prototype, Object.fromEntries(methods) as object);
}

function lazyMethod(name: string, method: Method): (this: Lazy, ...args: unknown[]) => unknown {
  if (Object.getPrototypeOf(method) === ASYNC_GENERATOR) {
    return function (...args) {
      return iterate(this[HOLD], name, args);
    };
  }
  return function (...args) {
    return run(this[HOLD], name, args);
  };
}

async function run(hold: HoldService<Methods>, name: string, args: unknown[]): Promise<unknown> {
  const holding = hold();
  // If the service is there, the method reads its request at once, as every service does.
  if (!('find' in holding)) return perform(holding, name, args);
  const { find, places } = holding;
  const wait = (): Promise<FoundService> => waitFor(find, name, args);
  const next = ({ held, given }: FoundService): Promise<unknown> => perform(held, name, given);
  if (!places || enlists(name)) return next(await wait());
  const ended = places.inFlight.beginAfter(wait, next);
  if (ended) return ended;
  const { signal } = limitsIn(args.at(-1));
  throw signal?.aborted ? signal.reason : places.refusal();
}

/** Whether a method only writes a payment into a transaction, its first argument. It sends nothing, and needs no place. */
function enlists(name: string): boolean {
  return name.startsWith('enlist');
}

/** A service, and the arguments that its method gets. */
interface FoundService {
  readonly held: HeldService<Methods>;
  readonly given: readonly unknown[];
}

async function waitFor(
  find: AwaitedService<Methods>['find'],
  name: string,
  args: readonly unknown[],
): Promise<FoundService> {
  const given = copyArguments(args, enlists(name) ? 1 : 0);
  const limits = ENDING_WITH_REPORT.has(name) ? {} : limitsIn(given.at(-1));
  const startedAt = performance.now();
  const finding = find();
  let isTaken = false;
  try {
    const held = await within(finding, startedAt, limits);
    isTaken = true;
    return { held, given: withTimeLeft(given, startedAt, limits) };
  } finally {
    if (!isTaken) releaseLater(finding);
  }
}

async function perform(
  { service, release }: HeldService<Methods>,
  name: string,
  args: readonly unknown[],
): Promise<unknown> {
  try {
    return await service[name]?.(...args);
  } finally {
    release();
  }
}

async function* iterate(hold: HoldService<Methods>, name: string, args: readonly unknown[]): AsyncGenerator {
  const holding = hold();
  const { service, release } = 'find' in holding ? await holding.find() : holding;
  try {
    yield* service[name]?.(...args) as AsyncIterable<unknown>;
  } finally {
    release();
  }
}

/** If their signal fires, these say how far they came. */
const ENDING_WITH_REPORT: ReadonlySet<string> = new Set(['reseal']);

/** What the options of a call say about its time. */
interface WaitLimits {
  readonly signal?: AbortSignal | undefined;
  readonly deadlineMs?: number | undefined;
}

/** The check of the call says what is wrong in the options. */
function limitsIn(options: unknown): WaitLimits {
  if (!isRecord(options)) return {};
  const { signal, deadlineMs } = options;
  if (signal instanceof AbortSignal) allowManyListeners(signal);
  const isTime = Number.isInteger(deadlineMs) && Number(deadlineMs) > 0;
  return {
    signal: signal instanceof AbortSignal ? signal : undefined,
    deadlineMs: isTime ? Math.min(Number(deadlineMs), LONGEST_TIMER_MS) : undefined,
  };
}

/** Waits for a service as long as the call may take. Nothing was sent yet. */
async function within(
  holding: Promise<HeldService<Methods>>,
  startedAt: number,
  { signal, deadlineMs = LONGEST_TIMER_MS }: WaitLimits,
): Promise<HeldService<Methods>> {
  const waited = await withDeadline(holding, startedAt + deadlineMs, signal);
  if (waited.ended === 'done') return waited.value;
  throw waited.ended === 'aborted' ? signal?.reason : accountTooLate();
}

/** The wait for the service counts as a part of the call. */
function withTimeLeft(
  args: readonly unknown[],
  startedAt: number,
  { deadlineMs }: WaitLimits,
): readonly unknown[] {
  if (deadlineMs === undefined) return args;
  const leftMs = Math.floor(deadlineMs - (performance.now() - startedAt));
  return [...args.slice(0, -1), { ...(args.at(-1) as object), deadlineMs: Math.max(1, leftMs) }];
}

/** Nobody uses the service any more. */
function releaseLater(holding: Promise<HeldService<Methods>>): void {
  holding.then(
    ({ release }) => {
      release();
    },
    () => undefined,
  );
}
