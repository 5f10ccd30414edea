/** A service in use. Call `release` at the end of its work. */
export interface HeldService<Service> {
  readonly service: Service;
  readonly release: () => void;
}

/** Gives a service for one piece of work, at once if it is there. */
export type HoldService<Service> = () => HeldService<Service> | Promise<HeldService<Service>>;

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
  const given = holding instanceof Promise ? copied(name, args) : args;
  const { service, release } = holding instanceof Promise ? await holding : holding;
  try {
    return await service[name]?.(...given);
  } finally {
    release();
  }
}

async function* iterate(hold: HoldService<Methods>, name: string, args: readonly unknown[]): AsyncGenerator {
  const { service, release } = await hold();
  try {
    yield* service[name]?.(...args) as AsyncIterable<unknown>;
  } finally {
    release();
  }
}

/** Copies the request, which the application may change until the service is there. */
function copied(name: string, args: readonly unknown[]): unknown[] {
  // A transaction comes first there, and belongs to its connection.
  const request = name.startsWith('enlist') ? 1 : 0;
  return args.map((arg, index) => (index === request ? copyOf(arg) : arg));
}

/** What cannot be copied is no request: its check says so. */
function copyOf(request: unknown): unknown {
  try {
    return structuredClone(request);
  } catch {
    return request;
  }
}
