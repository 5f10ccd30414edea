import { type Encryption, isEncryption } from './encryption.js';
import { wrong } from './key-bytes.js';

/** Whether a value is an encryption, or a list of some. */
export function isEncryptionList(
  value: unknown,
): value is Encryption | readonly [Encryption, ...Encryption[]] {
  return Array.isArray(value) ? value.length > 0 && value.every(isEncryption) : isEncryption(value);
}

/**
 * One encryption that seals with the first one of a list, and opens with all of them.
 *
 * @throws PaymentsConfigError if two of them have a key with the same id.
 */
export function oneEncryption(given: Encryption | readonly [Encryption, ...Encryption[]]): Encryption {
  if (!isList(given)) return given;
  const [first, ...earlier] = given;
  if (earlier.length === 0) return first;
  const names = given.flatMap((one) => one.names);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    const id = twice.replace('~', '');
    throw wrong(
      'encryption',
      `has two keys with the id '${id}': leave one of them out, or give it another id.`,
    );
  }
  return {
    current: first.current,
    names,
    // If one of them has it on, everything is sealed already, whichever of them seals now.
    requireSealed: given.some((one) => one.requireSealed),
    isCurrent: (name) => first.isCurrent(name),
    sealingKey: () => first.sealingKey(),
    // Each of them knows the names of its keys, so at most one is asked for a key of a key service.
    openingKey: async (name, listEndsAt) => {
      for (const one of given) {
        const key = await one.openingKey(name, listEndsAt);
        if (key) return key;
      }
      return undefined;
    },
    fingerprints: (text) => {
      const [current, ...others] = first.fingerprints(text);
      return [current, ...others, ...earlier.flatMap((one) => one.fingerprints(text))];
    },
  };
}

function isList(
  given: Encryption | readonly [Encryption, ...Encryption[]],
): given is readonly [Encryption, ...Encryption[]] {
  return Array.isArray(given);
}
