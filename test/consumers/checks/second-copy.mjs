// Puts the package where another dependency would bring a copy of its own, loads both, and boots.
import { Test } from '@nestjs/testing';
import assert from 'node:assert/strict';
import { cpSync, realpathSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PaymentsModule } from 'nestjs-payments';

const options = {
  baseUrl: 'http://127.0.0.1:1/api/v1',
  apiKey: 'pk_test_4f9a2c7e1b',
  apiSecret: 'sk_test_4f9a2c7e1b',
};
const installed = realpathSync(resolve('node_modules', 'nestjs-payments'));
const neighbour = resolve('node_modules', 'a-neighbour');
const copy = join(neighbour, 'node_modules', 'nestjs-payments');

// Registered before the second copy is loaded, as a module that is imported early does.
const imports = [PaymentsModule.forRoot(options)];
cpSync(installed, copy, { recursive: true });
try {
  await import(pathToFileURL(join(copy, 'dist', 'esm', 'index.js')));
  await assert.rejects(Test.createTestingModule({ imports }).compile(), (error) => {
    assert.equal(error.name, 'PaymentsConfigError');
    for (const part of ['was loaded 2 times', join(installed, 'dist'), join(copy, 'dist'), 'npm dedupe'])
      assert.ok(error.message.includes(part), `'${part}' is missing in: ${error.message}`);
    return true;
  });
} finally {
  rmSync(neighbour, { recursive: true, force: true });
}
