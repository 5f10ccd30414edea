/** Decorators on a method, where TypeScript is not there to write them; the last one is nearest to the method. */
export function decorate(prototype, method, decorators, parameters = []) {
  for (const [index, parameter] of parameters.entries()) parameter(prototype, method, index);
  const descriptor = Object.getOwnPropertyDescriptor(prototype, method);
  const decorated = [...decorators]
    .reverse()
    .reduce((current, decorator) => decorator(prototype, method, current) ?? current, descriptor);
  Object.defineProperty(prototype, method, decorated);
}

/** The same on a class. */
export function decorateClass(type, decorators) {
  for (const decorator of [...decorators].reverse()) decorator(type);
  return type;
}
