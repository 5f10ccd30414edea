// Plays a story step by step, and what its steps check.
import { items } from './http.mjs';

/** A failed step of a story. */
export class StoryError extends Error {
  constructor(step, problem) {
    super(`${step}: ${problem}`);
  }
}

/**
 * Plays every step and checks it.
 *
 * @param steps What each step does, by its name. It resolves to what happened.
 * @param places.shop Address of the shop, without a trailing slash.
 * @param places.emulator Address of the emulator, likewise.
 * @param places.tell Gets the name of each successful step, and what happened.
 * @throws StoryError that names the step that failed.
 */
export async function playSteps(steps, { tell, ...places }) {
  const state = {};
  for (const [name, step] of Object.entries(steps)) {
    try {
      tell(name, await step({ ...places, state }));
    } catch (error) {
      throw new StoryError(name, error.message);
    }
  }
}

/** @throws if the newest webhook of a payment is not this event, or did not arrive. */
export async function delivered(emulator, reference, event) {
  const delivery = (await items(emulator, 'deliveries')).find((each) => each.reference === reference);
  if (delivery?.event !== event) throw new Error(`no ${event} was sent`);
  if (delivery.state !== 'delivered') throw new Error(`the shop ${delivery.attempts.at(-1).problem}`);
  return `${event} answered ${delivery.status}`;
}

export function expectEqual(what, seen, expected) {
  if (seen !== expected) throw new Error(`${what} ${seen} instead of ${expected}`);
}
