import { DEFAULT_ACCOUNT } from '../../common/vocabulary.js';
import { type OnPaymentMetadata, overridingMethods } from './decorated-methods.js';
import { codeName, type HandlerPlace } from './handler-names.js';

interface ListedHandler {
  readonly place: HandlerPlace;
  readonly triggers: readonly OnPaymentMetadata[];
}

/** One line for the log: which methods run for which event. */
export function handlerList(handlers: readonly ListedHandler[]): string {
  const byEvent = new Map<string, readonly string[]>();
  for (const { place, triggers } of handlers) {
    for (const { event, account } of triggers) {
      const ofAccount = account === DEFAULT_ACCOUNT ? '' : ` (account '${account}')`;
      byEvent.set(event, [...(byEvent.get(event) ?? []), `${codeName(place)}${ofAccount}`]);
    }
  }
  const events = [...byEvent].map(([event, names]) => `${event}: ${names.join(', ')}`);
  return `Handlers of webhooks by event: ${events.join('; ')}`;
}

/** Warnings about methods that take the place of a handler and never run. */
export function overrideWarnings(prototypes: readonly unknown[]): readonly string[] {
  return prototypes.flatMap(overridingMethods).map(({ name, owner, base, triggers }) => {
    const [own, decorated] = [owner, base].map((prototype) => codeName({ prototype, method: name }));
    const decorators = triggers.map(({ event }) => `@OnPayment('${event}')`).join(' and ');
    return (
      `${own} overrides ${decorated}, which has ${decorators}, and has no @OnPayment of its own, so no webhook runs it: ` +
      'decorators are not inherited by a method that overrides. Write the same above it, even if it is empty on purpose.'
    );
  });
}
