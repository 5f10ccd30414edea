import { type DiscoveryService } from '@nestjs/core';

export type HandlerHost = ReturnType<DiscoveryService['getProviders']>[number];

export interface HandlerPlace {
  readonly host: HandlerHost;
  readonly prototype: object;
  readonly method: string;
}

/** The name of a handler in the code: `Orders.paid`. */
export function codeName({ prototype, method }: Omit<HandlerPlace, 'host'>): string {
  return `${prototype.constructor.name}.${method}`;
}

/** A handler and the name under which the inbox remembers it. */
export interface NamedHandler {
  readonly place: HandlerPlace;
  readonly step: { readonly name: string };
}

/** A class name after a bundler, or of a class without one. */
const SHORTENED = /^[\w$]{0,2}$/;

/** Warnings about names that do not tell handlers apart, in this build or the next one. */
export function nameWarnings(handlers: readonly NamedHandler[]): readonly string[] {
  const names = [...new Set(handlers.map(({ step }) => step.name))];
  return [...names.flatMap((name) => sharedName(name, handlers)), ...shortenedNames(handlers)];
}

function sharedName(name: string, handlers: readonly NamedHandler[]): readonly string[] {
  const [first, ...others] = handlers.filter(({ step }) => step.name === name).map(({ place }) => place);
  if (!first || others.length === 0) return [];
  if (others.every((other) => isSameMethod(other, first))) {
    return [
      `${name} was found in more than one provider and runs once for each: provide its class in one module only.`,
    ];
  }
  const places = [first, ...others].map(codeName).join(', ');
  return [
    `${others.length + 1} handlers share the name '${name}' (${places}). The inbox tells them apart by their order alone, which ` +
      "another build may change: give each an id of its own, for example @OnPayment('payment.success', { id: 'orders.paid' }).",
  ];
}

function isSameMethod(one: HandlerPlace, other: HandlerPlace): boolean {
  return one.prototype === other.prototype && one.method === other.method;
}

function shortenedNames(handlers: readonly NamedHandler[]): readonly string[] {
  const unnamed = handlers.filter(
    ({ place, step }) => step.name === codeName(place) && SHORTENED.test(place.prototype.constructor.name),
  );
  if (unnamed.length === 0) return [];
  const places = unnamed.map(({ place }) => codeName(place)).join(', ');
  return [
    `A bundler seems to have shortened the class names of the handlers ${places}: with other names in the next build, those that ` +
      "finished may run again. Give each an id, for example @OnPayment('payment.success', { id: 'orders.paid' }), or let the " +
      'bundler keep names.',
  ];
}
