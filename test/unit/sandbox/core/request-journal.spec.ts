import { describe, expect, it } from 'vitest';
import { RequestJournal } from '../../../../lib/sandbox/core/request-journal.js';
import { type SandboxRequest } from '../../../../lib/sandbox/index.js';

function call(id: string, change: Partial<SandboxRequest> = {}): SandboxRequest {
  return {
    id,
    at: '2026-01-01T09:00:00.000Z',
    merchant: 'demo',
    reference: null,
    method: 'GET',
    path: '/api/v1/merchant-balance',
    headers: {},
    body: null,
    status: null,
    code: null,
    reason: null,
    duration_ms: null,
    response_headers: null,
    response_body: null,
    fault: null,
    rule: null,
    varied: [],
    ...change,
  };
}

const ONE = Buffer.byteLength(JSON.stringify(call('1')));
const idsOf = (journal: RequestJournal) => journal.list().map(({ id }) => id);

describe('the journal of requests', () => {
  it('keeps as many as fit into its bytes, however many they are', () => {
    const journal = new RequestJournal(3 * ONE);
    for (const id of ['1', '2', '3']) journal.begin(call(id));
    expect(idsOf(journal)).toEqual(['1', '2', '3']);
    journal.begin(call('4'));
    expect(idsOf(journal)).toEqual(['2', '3', '4']);
  });

  it('counts the answer in bytes of UTF-8, not in characters', () => {
    const journal = new RequestJournal(3 * ONE);
    for (const id of ['1', '2', '3']) journal.begin(call(id));
    const characters = Math.floor(ONE / 2);
    expect(journal.end(call('3', { response_body: 'é'.repeat(characters) }))).toBe(true);
    expect(idsOf(journal)).toEqual(['2', '3']);
    expect(journal.get('3')?.response_body).toHaveLength(characters);
    expect(journal.get('1')).toBeUndefined();
  });

  it('gives the bytes of a dropped request back', () => {
    const journal = new RequestJournal(3 * ONE);
    journal.begin(call('1', { body: 'x'.repeat(2 * ONE) }));
    for (const id of ['2', '3', '4']) journal.begin(call(id));
    expect(idsOf(journal)).toEqual(['2', '3', '4']);
    journal.clear();
    for (const id of ['5', '6', '7']) journal.begin(call(id));
    expect(idsOf(journal)).toEqual(['5', '6', '7']);
  });

  it('tells which requests it dropped to limit memory, and not which a reset removed', () => {
    const dropped: string[] = [];
    const journal = new RequestJournal(2 * ONE, ({ id }) => dropped.push(id));
    for (const id of ['1', '2', '3', '4']) journal.begin(call(id));
    journal.clear();
    expect(dropped).toEqual(['1', '2']);
  });

  it('keeps the newest request, whatever its size', () => {
    const journal = new RequestJournal(ONE);
    journal.begin(call('1'));
    journal.begin(call('2', { body: 'x'.repeat(5 * ONE) }));
    expect(idsOf(journal)).toEqual(['2']);
  });

  it('reports the end of a request that it dropped, but not of one that a reset removed', () => {
    const journal = new RequestJournal(ONE);
    for (const id of ['1', '2']) journal.begin(call(id));
    expect(journal.end(call('1', { status: 200 }))).toBe(true);
    expect(idsOf(journal)).toEqual(['2']);
    journal.begin(call('3', { merchant: 'other' }));
    journal.clear('other');
    expect(journal.end(call('3', { status: 200, merchant: 'other' }))).toBe(false);
    expect(journal.end(call('2', { status: 200 }))).toBe(true);
  });
});
