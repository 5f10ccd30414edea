import { describe, expect, it } from 'vitest';
import { type LineState } from 'nestjs-payments/batches';
import { type Line } from '../history.js';
import { crashesOf, fileOf, LINE_POINTS } from './batch-plan.js';
import { type BatchEvidence, checkBatch, missingBatchTroubles } from './check-batch.js';
import { memoryFaults, memoryOfHalves } from './memory.js';

const reference = 'salaries.S-1';
const request = { reference, key: 'a', status: 201 };

function faults(state: LineState, evidence: Partial<BatchEvidence> = {}): readonly string[] {
  return checkBatch({
    references: [reference],
    states: new Map([[reference, state]]),
    paid: [reference],
    requests: [request],
    history: [],
    ...evidence,
  }).map((fault) => fault.replace(`${reference} `, ''));
}

const at = (time: number, line: object): Line => ({ at: time, life: '1.1', ...line }) as Line;
const begun = at(1, { what: 'begun', reference });
const known = at(2, { what: 'known', reference, state: 'accepted' });
const killed = at(3, { what: 'killed', point: 'at random' });

describe('the check of a batch', () => {
  it('finds nothing if a line was accepted and paid, or refused and not paid', () => {
    expect(faults('accepted')).toEqual([]);
    expect(faults('refused', { paid: [], requests: [{ ...request, status: 422 }] })).toEqual([]);
  });

  it('finds what was paid twice, was skipped, or has another state than the ledger', () => {
    expect(faults('accepted', { paid: [reference, reference] })).toEqual(['was paid 2 times']);
    expect(faults('checked', { paid: [] })).toEqual(['is checked at the end']);
    expect(faults('sending')).toEqual(['is sending at the end']);
    expect(faults('accepted', { paid: [] })).toEqual(['is accepted and was not paid']);
    expect(faults('refused')).toEqual(['is refused and was paid']);
    expect(faults('accepted', { states: new Map() })).toEqual(['is missing at the end']);
  });

  it('finds what nobody loaded', () => {
    expect(faults('accepted', { paid: [reference, 'salaries.S-2'] })).toEqual([
      'salaries.S-2 is in no line that was loaded',
    ]);
  });

  it('lets a line be unknown only if its answer was lost', () => {
    const untold = 'is unknown though no answer was lost';
    expect(faults('unknown')).toEqual([untold]);
    expect(faults('unknown', { requests: [{ ...request, status: null }] })).toEqual([]);
    expect(faults('unknown', { history: [begun, killed] })).toEqual([]);
    expect(faults('unknown', { history: [begun, known, killed] })).toEqual([untold]);
    expect(faults('unknown', { history: [begun] })).toEqual([untold]);
    expect(faults('unknown', { history: [at(1, { what: 'journal away', reference })] })).toEqual([]);
  });

  it('allows a second key only after a definite refusal', () => {
    const second = { ...request, key: 'b' };
    expect(faults('accepted', { requests: [{ ...request, status: 422 }, second] })).toEqual([]);
    for (const status of [null, 201, 409, 503]) {
      expect(faults('accepted', { requests: [{ ...request, status }, second] })).toEqual([
        'was sent under another key though it may have been paid',
      ]);
    }
    expect(faults('accepted', { requests: [{ ...request, status: null }, request] })).toEqual([]);
  });
});

describe('the plan of a batch', () => {
  const size = { lines: 2_050, kills: 150, replicas: 3, restarts: 2, seed: 'one' };

  it('is the same for the same seed, and strikes every point at lines that there are', () => {
    const crashes = crashesOf(size);
    expect(crashesOf(size)).toEqual(crashes);
    expect(crashesOf({ ...size, seed: 'two' })).not.toEqual(crashes);
    expect(new Set(crashes.map(fileOf)).size).toBe(crashes.length);
    expect(crashes.length).toBeGreaterThan(90);
    expect(new Set(crashes.map(({ kind, point }) => `${kind} ${point}`)).size).toBe(12);
    for (const { point, at: place } of crashes) {
      const most = LINE_POINTS.some((one) => one === point) ? size.lines : 21;
      expect(place).toBeGreaterThan(0);
      expect(place).toBeLessThanOrEqual(most);
    }
  });
});

describe('the memory of a replica', () => {
  const samples = (kb: (index: number) => number): readonly Line[] =>
    Array.from({ length: 60 }, (_, index) => at(index, { what: 'memory', kb: kb(index) }));

  it('may stay, and not rise', () => {
    expect(memoryOfHalves(samples(() => 100).slice(0, 49))).toBeUndefined();
    expect(memoryFaults(memoryOfHalves(samples((index) => (index < 10 ? 1 : 100 + (index % 10)))))).toEqual(
      [],
    );
    expect(memoryFaults(memoryOfHalves(samples((index) => 100 + index)))).toEqual([
      'the memory of a replica rose from 134 to 159 kB',
    ]);
  });
});

it('finds kills and crashes that were planned and did not happen', () => {
  const crashed = at(4, { what: 'storage up' });
  const atTheEnd = at(5, { what: 'killed', point: 'at the end' });
  expect(missingBatchTroubles({ kills: 2, restarts: 1 }, [killed, crashed, atTheEnd])).toEqual([]);
  expect(missingBatchTroubles({ kills: 3, restarts: 2 }, [killed, crashed, atTheEnd])).toEqual([
    'only 1 of 3 kills happened',
    '1 instead of 2 crashes of the storage',
  ]);
});
