import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { BATCH_PLANTS } from '../kill/batches/batch-plants.js';
import { CALL_PLANTS } from '../kill/calls/call-plants.js';
import { PLANTS } from '../kill/plants.js';
import { PLANTED_FAULTS } from './planted-faults.js';

const planted = [
  ...PLANTED_FAULTS.map(({ name, file, find }) => ({ name, file, find })),
  ...[...PLANTS, ...CALL_PLANTS, ...BATCH_PLANTS].map(({ name, file, from }) => ({ name, file, find: from })),
];

it.each(planted)('the code for the fault "$name" appears in $file once', ({ file, find }) => {
  expect(readFileSync(file, 'utf8').split(find)).toHaveLength(2);
});
