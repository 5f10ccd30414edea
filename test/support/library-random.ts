import { type MockInstance, vi } from 'vitest';
import { isCalledByLibrary } from './patient-library.js';

/** Nest itself calls it, too. */
const SPY = /library-random|vitest[\\/+]spy|tinyspy/;

/**
 * Gives the library this in place of `Math.random()`, for example so that nobody waits long before work is tried again.
 * Nest makes the ids of modules and providers of it, and keeps numbers in stock: with the same ones for all of them, this and
 * later applications of the process could not start.
 */
export function libraryRandom(value: () => number): MockInstance<typeof Math.random> {
  const { random } = Math;
  return vi
    .spyOn(Math, 'random')
    .mockImplementation(() => (isCalledByLibrary(new Error(), SPY) ? value() : random()));
}
