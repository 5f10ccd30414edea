import { expect } from 'vitest';
import { memoryStorage, type PaymentsStorage } from 'nestjs-payments';
import { type ContractFramework } from 'nestjs-payments/testing';

/** A store with some methods that are wrong. */
export function withFault<Store extends object>(store: Store, fault: Partial<Store>): Store {
  return new Proxy(store, {
    get: (target, name) => {
      if (name in fault) return Reflect.get(fault, name) as unknown;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}

/** The memory storage with a clock that stands still until a test moves it. */
export function stillStorage(): PaymentsStorage & { pass(ms: number): void; now(): number } {
  let time = 1_800_000_000_000;
  const now = (): number => time;
  return {
    ...memoryStorage({ now }),
    now,
    pass: (ms) => {
      time += ms;
    },
  };
}

/** What a column with a bound in bytes keeps of a text. */
export function firstBytes(text: string, bytes: number): string {
  return Buffer.from(text).subarray(0, bytes).toString();
}

/** Runs the test of a contract that has this title, and says whether it fails. */
export async function testFails(
  title: string,
  register: (framework: ContractFramework) => void,
): Promise<boolean> {
  const tests = new Map<string, () => Promise<void>>();
  register({
    describe: (_name, inside) => {
      inside();
    },
    it: (name, test) => tests.set(name, test),
    expect,
  });
  const test = tests.get(title);
  if (!test) throw new Error(`The contract has no test with the title "${title}".`);
  return test().then(
    () => false,
    () => true,
  );
}
