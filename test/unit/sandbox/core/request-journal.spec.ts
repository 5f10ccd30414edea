import { describe, expect, it } from 'vitest';
import { EventBus, type SandboxEvents } from '../../../../lib/sandbox/core/event-bus.js';
import { RequestJournal } from '../../../../lib/sandbox/core/request-journal.js';
import { type SandboxRequest } from '../../../../lib/sandbox/index.js';
import { Timeline } from '../../../../lib/sandbox/timeline/timeline.js';

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

const ignored = (): void => undefined;
const ONE = Buffer.byteLength(JSON.stringify(call('1')));
const idsOf = (journal: RequestJournal) => journal.list().map(({ id }) => id);

describe('the journal of requests', () => {
  it('keeps as many as fit into its bytes, however many they are', () => {
    const journal = new RequestJournal(ignored, 3 * ONE);
    for (const id of ['1', '2', '3']) journal.begin(call(id));
    expect(idsOf(journal)).toEqual(['1', '2', '3']);
    journal.begin(call('4'));
    expect(idsOf(journal)).toEqual(['2', '3', '4']);
  });

  it('counts the answer in bytes of UTF-8, not in characters', () => {
    const journal = new RequestJournal(ignored, 3 * ONE);
    for (const id of ['1', '2', '3']) journal.begin(call(id));
    const characters = Math.floor(ONE / 2);
    expect(journal.end(call('3', { response_body: 'é'.repeat(characters) }))).toBe(true);
    expect(idsOf(journal)).toEqual(['2', '3']);
    expect(journal.get('3')?.response_body).toHaveLength(characters);
    expect(journal.get('1')).toBeUndefined();
  });

  it('gives the bytes of a dropped request back', () => {
    const journal = new RequestJournal(ignored, 3 * ONE);
    journal.begin(call('1', { body: 'x'.repeat(2 * ONE) }));
    for (const id of ['2', '3', '4']) journal.begin(call(id));
    expect(idsOf(journal)).toEqual(['2', '3', '4']);
    journal.clear();
    for (const id of ['5', '6', '7']) journal.begin(call(id));
    expect(idsOf(journal)).toEqual(['5', '6', '7']);
  });

  it('tells which requests it dropped to limit memory, and not which a reset removed', () => {
    const dropped: string[] = [];
    const journal = new RequestJournal(({ id }) => dropped.push(id), 2 * ONE);
    for (const id of ['1', '2', '3', '4']) journal.begin(call(id));
    journal.clear();
    expect(dropped).toEqual(['1', '2']);
  });

  it('keeps the newest request, whatever its size', () => {
    const journal = new RequestJournal(ignored, ONE);
    journal.begin(call('1'));
    journal.begin(call('2', { body: 'x'.repeat(5 * ONE) }));
    expect(idsOf(journal)).toEqual(['2']);
  });

  it('reports the end of a request that it dropped, but not of one that a reset removed', () => {
    const journal = new RequestJournal(ignored, ONE);
    for (const id of ['1', '2']) journal.begin(call(id));
    expect(journal.end(call('1', { status: 200 }))).toBe(true);
    expect(idsOf(journal)).toEqual(['2']);
    journal.begin(call('3', { merchant: 'other' }));
    journal.clear('other');
    expect(journal.end(call('3', { status: 200, merchant: 'other' }))).toBe(false);
    expect(journal.end(call('2', { status: 200 }))).toBe(true);
  });
});

describe('the timeline of a reference without a payment', () => {
  /** A journal of so many bytes, with the timelines of its requests. */
  function journalOf(limit: number) {
    const events = new EventBus<SandboxEvents>();
    const journal: RequestJournal = new RequestJournal((request) => {
      timeline.forget(request);
    }, limit);
    const timeline = new Timeline(events, { now: () => 0 }, { whyUnsent: () => 'no address' }, journal);
    const end = (id: string, change: Partial<SandboxRequest> = {}) => {
      const request = call(id, { reference: 'gone', ...change });
      if (journal.end(request)) events.emit('exchange', { request, answer: null });
    };
    const begin = (...ids: string[]) => {
      for (const id of ids) journal.begin(call(id, { reference: 'gone' }));
    };
    const entries = () => timeline.of('gone').flatMap((one) => one.entries.map(({ id }) => id));
    const ask = (...ids: string[]) => {
      for (const id of ids) {
        begin(id);
        end(id);
      }
    };
    return { begin, end, ask, entries, timeline, events };
  }

  const GONE = Buffer.byteLength(JSON.stringify(call('1', { reference: 'gone' })));

  it('is forgotten if its request was dropped before its answer', () => {
    const { begin, end, entries } = journalOf(GONE);
    begin('1', '2');
    end('1');
    expect(entries()).toEqual([]);
    end('2');
    expect(entries()).toEqual(['2']);
  });

  it('is forgotten if the answer itself makes its request too large', () => {
    const { begin, end, entries } = journalOf(2 * GONE);
    begin('1', '2');
    end('1', { response_body: 'x'.repeat(GONE) });
    expect(entries()).toEqual([]);
  });

  it('stays until the last of its requests is dropped, whichever ended last', () => {
    const { begin, end, entries } = journalOf(2 * GONE);
    begin('1', '2');
    end('2');
    end('1');
    begin('3');
    expect(entries()).toEqual(['2', '1']);
    begin('4');
    expect(entries()).toEqual([]);
  });

  it('keeps only the requests that are kept, however often it is asked for', () => {
    const { ask, entries } = journalOf(2 * GONE);
    ask('1', '2', '3', '4', '5', '6', '7');
    expect(entries()).toEqual(['6', '7']);
  });

  it('keeps all its requests once it holds something else, which they led to', () => {
    const { ask, entries, timeline } = journalOf(2 * GONE);
    ask('1', '2', '3');
    const made = { at: '', what: 'payment', id: null, text: 'pending' } as const;
    timeline.restore('demo', 'gone', 0, { ...made, facts: timeline.of('gone')[0]!.entries[0]!.facts });
    ask('4', '5', '6');
    expect(entries()).toEqual(['2', '3', null, '4', '5', '6']);
  });

  it('tells which entries changed, by indexes that stay', () => {
    const { ask, timeline, events } = journalOf(2 * GONE);
    /** What a folder with the state would hold. */
    const stored = new Map<string, string | null>();
    events.on('changed', (change) => {
      if (change === 'everything' || change[0] !== 'timeline') return;
      const [, merchant, reference, index] = change;
      const entry = timeline.entry(merchant, reference, Number(index));
      if (entry) stored.set(index, entry.id);
      else stored.delete(index);
    });
    ask('1', '2', '3', '4');
    expect([...stored]).toEqual([
      ['2', '3'],
      ['3', '4'],
    ]);
    expect(timeline.list()).toEqual([
      ['demo', 'gone', 2],
      ['demo', 'gone', 3],
    ]);
    expect(timeline.entry('demo', 'gone', 1)).toBeUndefined();
  });

  it('continues with the indexes of another run', () => {
    const { ask, timeline } = journalOf(2 * GONE);
    ask('1', '2', '3');
    const next = journalOf(2 * GONE);
    for (const [merchant, reference, index] of timeline.list())
      next.timeline.restore(merchant, reference, index, timeline.entry(merchant, reference, index)!);
    expect(next.timeline.list()).toEqual(timeline.list());
    next.begin('2', '3');
    next.ask('4');
    expect(next.entries()).toEqual(['3', '4']);
    expect(next.timeline.list()).toEqual([
      ['demo', 'gone', 2],
      ['demo', 'gone', 3],
    ]);
  });
});
