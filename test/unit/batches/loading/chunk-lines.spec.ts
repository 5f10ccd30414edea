import { expect, it } from 'vitest';
import { CHUNK_LINES } from '../../../../lib/batches/loading/chunk-lines.js';
import { CHUNK_LINES as PLANNED } from '../../../kill/batches/batch-plan.js';

it('the kill test plans deaths within chunks of the size that the package has', () => {
  expect(PLANNED).toBe(CHUNK_LINES);
});
