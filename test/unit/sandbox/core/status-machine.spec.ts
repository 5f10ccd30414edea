import { describe, expect, it } from 'vitest';
import { COLLECTION_STATUSES, DISBURSEMENT_STATUSES } from '../../../../lib/common/vocabulary.js';
import { canMove } from '../../../../lib/sandbox/core/status-machine.js';

describe('the state machines', () => {
  it('let nothing leave a final state of a collection', () => {
    for (const from of ['success', 'failed', 'cancelled', 'expired'] as const) {
      for (const to of COLLECTION_STATUSES) expect(canMove(from, to)).toBe(false);
    }
  });

  it('reach every final state of a collection from pending and from processing', () => {
    for (const from of ['pending', 'processing'] as const) {
      for (const to of ['success', 'failed', 'cancelled', 'expired'] as const) {
        expect(canMove(from, to)).toBe(true);
      }
    }
    expect(canMove('pending', 'processing')).toBe(true);
    expect(canMove('processing', 'pending')).toBe(false);
  });

  it('let nothing leave a final state of a disbursement, and reach each from processing', () => {
    for (const final of ['paid', 'failed', 'cancelled'] as const) {
      expect(canMove('processing', final)).toBe(true);
      for (const to of DISBURSEMENT_STATUSES) expect(canMove(final, to)).toBe(false);
    }
  });
});
