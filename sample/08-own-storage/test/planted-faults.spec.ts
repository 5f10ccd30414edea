import { describe, expect, it } from '@jest/globals';
import { conflictContract, inboxContract, journalContract } from 'nestjs-payments/testing';
import { MemoryDocuments, NONE, type Versioned } from '../src/documents.js';
import { openStorage } from './open-storage.js';

/** A write that does not compare: of two writers, the second one writes over the first. */
class LastWriterWins extends MemoryDocuments {
  override write(id: string, _version: number, next: Versioned): Promise<boolean> {
    this.stored.set(id, next);
    return Promise.resolve(true);
  }
}

/** An insert that writes over what is there, as a plain "put" of many databases does. */
class InsertsOverExisting extends MemoryDocuments {
  override write(id: string, version: number, next: Versioned): Promise<boolean> {
    if (version === NONE) this.stored.delete(id);
    return super.write(id, version, next);
  }
}

/** A delete that asks nobody. */
class DeletesAnyVersion extends MemoryDocuments {
  override remove(id: string): Promise<boolean> {
    return Promise.resolve(this.stored.delete(id));
  }
}

/** The titles of the contracts' tests that fail. */
async function failures(documents: () => MemoryDocuments): Promise<string[]> {
  const tests: { readonly name: string; readonly run: () => Promise<void> }[] = [];
  const framework = {
    describe: (_name: string, register: () => void) => {
      register();
    },
    it: (name: string, run: () => Promise<void>) => tests.push({ name, run }),
    expect,
  };
  for (const contract of [journalContract, inboxContract, conflictContract]) {
    contract(framework, () => openStorage(documents()));
  }
  expect(tests.length).toBeGreaterThan(70);
  const failed: string[] = [];
  for (const { name, run } of tests) {
    await run().catch(() => failed.push(name));
  }
  return failed;
}

describe('what the contracts notice', () => {
  it('nothing, without a fault', async () => {
    expect(await failures(() => new MemoryDocuments())).toEqual([]);
  });

  it.each([
    ['a write that does not compare', LastWriterWins, 'lets one of many replace the same version'],
    [
      'an insert over what is there',
      InsertsOverExisting,
      'lets one of many take a delivery at the same time',
    ],
    ['a delete that asks nobody', DeletesAnyVersion, 'removes only the current version'],
  ])('%s', async (_fault, Faulty, notices) => {
    expect(await failures(() => new Faulty())).toContain(notices);
  });
});
