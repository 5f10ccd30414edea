import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../lib/config/resolve-options.js';

const valid = {
  baseUrl: 'https://gateway.example/api/v1',
  apiKey: 'pk_test_canarykey',
  apiSecret: 'sk_test_canarysecret',
};

describe('the options about open payments', () => {
  it('get every default of the documentation', () => {
    expect(resolveOptions(valid)).toMatchObject({
      probe: { collection: { afterAnswerMs: 15_000, afterSilenceMs: 15_000 }, disbursement: undefined },
      recoveryWindowMs: 900_000,
      staleAfterMs: 3_600_000,
      statusPaths: { collection: undefined, disbursement: undefined },
    });
  });

  it.each([
    ['false switches every probe off', false, { collection: undefined, disbursement: undefined }],
    [
      'collections may be switched off',
      { collections: false },
      { collection: undefined, disbursement: undefined },
    ],
    [
      'one wait may be changed',
      { collections: { afterAnswerMs: 0 } },
      { collection: { afterAnswerMs: 0, afterSilenceMs: 15_000 }, disbursement: undefined },
    ],
    [
      'the wait after an answer is no shorter than after silence, if only the wait after silence is given',
      { collections: { afterSilenceMs: 20_000 } },
      { collection: { afterAnswerMs: 20_000, afterSilenceMs: 20_000 }, disbursement: undefined },
    ],
    [
      'the wait after an answer stays as long if the wait after silence is shorter',
      { collections: { afterSilenceMs: 1 }, disbursements: { afterSilenceMs: 50_000 } },
      {
        collection: { afterAnswerMs: 15_000, afterSilenceMs: 1 },
        disbursement: { afterAnswerMs: 50_000, afterSilenceMs: 50_000 },
      },
    ],
    [
      'payouts are not probed if their option is undefined',
      { collections: false, disbursements: undefined },
      { collection: undefined, disbursement: undefined },
    ],
    [
      'payouts are probed late',
      { disbursements: {} },
      {
        collection: { afterAnswerMs: 15_000, afterSilenceMs: 15_000 },
        disbursement: { afterAnswerMs: 40_000, afterSilenceMs: 40_000 },
      },
    ],
  ])('probe: %s', (_, probe, resolved) => {
    expect(resolveOptions({ ...valid, probe }).probe).toEqual(resolved);
  });

  it('take one path per family', () => {
    const statusPaths = { collection: '/payments/{reference}', disbursement: '/payouts?ref={reference}' };
    expect(resolveOptions({ ...valid, statusPaths }).statusPaths).toEqual(statusPaths);
  });

  it.each([
    ['probe', { probe: true }],
    ['probe.collection', { probe: { collection: false } }],
    ['probe.collections.afterMs', { probe: { collections: { afterMs: 1 } } }],
    ['statusPaths.collections', { statusPaths: { collections: '/payments/{reference}' } }],
    ['probe.collections', { probe: { collections: 5 } }],
    ['probe.collections.afterAnswerMs', { probe: { collections: { afterAnswerMs: -1 } } }],
    ['probe.disbursements.afterSilenceMs', { probe: { disbursements: { afterSilenceMs: 1.5 } } }],
    ['recoveryWindowMs', { recoveryWindowMs: 0 }],
    ['staleAfterMs', { staleAfterMs: '1h' }],
    ['statusPaths', { statusPaths: '/payments/{reference}' }],
    ['statusPaths.collection', { statusPaths: { collection: '/payments/:reference' } }],
    ['statusPaths.collection', { statusPaths: { collection: 'payments/{reference}' } }],
    ['statusPaths.disbursement', { statusPaths: { disbursement: '/{reference}/{reference}' } }],
    ['statusPaths.disbursement', { statusPaths: { disbursement: 'https://other.example/{reference}' } }],
  ])('%s that is wrong is named', (option, options) => {
    expect(() => resolveOptions({ ...valid, ...options })).toThrow(`\`${option}\``);
  });

  it.each(['journal', 'inbox', 'conflicts'])('a storage without %s is none', (part) => {
    const parts = { journal: {}, inbox: {}, conflicts: {} };
    expect(resolveOptions({ ...valid, storage: { name: 'own', ...parts } }).storage).toMatchObject(parts);
    const storage = { name: 'own', ...parts, [part]: undefined };
    expect(() => resolveOptions({ ...valid, storage })).toThrow('`storage`');
  });
});
