import { createContextId, ModuleRef, type ModulesContainer } from '@nestjs/core';
import { type HandlerHost } from './handler-names.js';

/** A module of Nest, as its container keeps it. */
export type HandlerModule = NonNullable<ReturnType<ModulesContainer['get']>>;

/** What may have handlers: all providers, then all controllers. */
export function hostsOf(modules: readonly HandlerModule[]): readonly HandlerHost[] {
  return [
    ...modules.flatMap(({ providers }) => [...providers.values()]),
    ...modules.flatMap(({ controllers }) => [...controllers.values()]),
  ];
}

/** Whether all deliveries share one instance. */
export function isShared(host: HandlerHost): boolean {
  return host.isDependencyTreeStatic() && !host.isTransient;
}

/** A shared provider has the same instance in every context. */
const ANY_CONTEXT = createContextId();

/** Whether a handler may be called. While a module loads, Nest holds objects whose constructor has not run. */
export function isBuilt(host: HandlerHost): boolean {
  return !isShared(host) || host.getInstanceByContextId(ANY_CONTEXT).isResolved === true;
}

/** The module that a load returned, and all modules that it imports. */
export function loadedModules(
  loaded: ModuleRef,
  modules: readonly HandlerModule[],
): readonly HandlerModule[] {
  const reached = new Set(
    modules.filter((module) => module.getProviderByKey<ModuleRef>(ModuleRef).instance === loaded),
  );
  // A set also visits what is added during the loop.
  for (const module of reached) for (const imported of module.imports) reached.add(imported);
  return [...reached];
}
