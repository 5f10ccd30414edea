import { expect, it } from 'vitest';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';

/** Files of `test/support` that reach into `lib/`, and what for. */
const INSIDE_LIB: Readonly<Record<string, string>> = {
  'batch-contract.ts': 'shows the store of batches, which no application uses',
  'cli-process.ts': 'runs a command in the process of the spec',
  'conformance-answers.ts': 'gives answers to questions that no application asks',
  'conformance-run.ts': 'asks them without the command line',
  'control-contract.ts': 'reads the document that the emulator serves',
  'delivery-queue.ts': 'stands in place of BullMQ',
  'gateway-contract.ts': 'reads the document of the gateway',
  'gateway-profiles.ts': 'reads the table of facts, which has no entry point',
  'heard-webhooks.ts': 'hears webhooks as the command does, without the command line',
  'inbox-contract.ts': 'shows the deliveries of the contract',
  'journal-contract.ts': 'shows the records of the contract',
  'merchant.ts': 'joins the services without the module',
  'reconciliation-contract.ts': 'shows the store of reconciliation, which no application uses',
  'redis-format.ts': 'acts as a build with another format',
  'redis.ts': 'shows the client that a storage opens',
  'sealed-storage.ts': 'puts an encryption in front of a storage without the module',
  'table-migrations.ts': 'makes tables of version 2 and of a later build, and waits less than the package',
  'unverified-bytes.ts': 'reads a number that no application sees',
  'seed-file-schema.ts': 'is the JSON Schema that the build writes into the package',
};

/** Other files that do. */
const ALSO_INSIDE: Readonly<Record<string, string>> = {
  'test/model/batches/batches.spec.ts': 'lets a chunk have three lines, so that a short story has several',
};

const files = ['test', 'sample'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file).split(sep).join(posix.sep))
    .filter(
      (file) =>
        /\.m?[jt]s$/.test(file) &&
        !file.includes('node_modules/') &&
        // What other specs write at this moment, and remove.
        !file.includes('/.') &&
        !file.startsWith('test/unit/'),
    ),
);

/** Imports and mocks name a file of `lib/` relative to their own. */
function namesFileOfLib(file: string): boolean {
  const paths = readFileSync(file, 'utf8').matchAll(/(['"`])(\.{1,2}\/[^'"`\n]*)\1/g);
  return [...paths].some(([, , path = '']) =>
    relative('.', join(dirname(file), path))
      .split(sep)
      .join(posix.sep)
      .startsWith('lib/'),
  );
}

const inside = files.filter(namesFileOfLib);
const isSupport = (file: string): boolean => file.startsWith('test/support/');

it('specs outside of test/unit import the package by its public names, and test/support', () => {
  expect(files.length).toBeGreaterThan(300);
  expect(inside.filter((file) => !isSupport(file))).toEqual(Object.keys(ALSO_INSIDE));
});

it('few files of test/support reach into lib/, each for a reason', () => {
  const reaching = inside.filter(isSupport).map((file) => posix.basename(file));
  expect(reaching.sort()).toEqual(Object.keys(INSIDE_LIB).sort());
});
