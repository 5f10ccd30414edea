import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CALL_ATTEMPT_START_CHANNEL } from '../../../lib/common/call-diagnostics.js';
import { onPaymentsDiagnostics } from '../../../lib/common/diagnostics.js';
import { CallTrace } from '../../../lib/gateway/call-trace.js';
import { hearDiagnostics, keepLogLines, type HeardEvent } from '../../support/diagnostics-log.js';

const SUBJECT = { account: 'shop', operation: 'disbursement.bank', reference: 'salary-1' } as const;
const ACCEPTED = { retry: false, probe: false, verdict: { end: 'success' } } as never;
const AGAIN = { retry: true, probe: false, verdict: { end: 'unreachable' } } as never;
const UNKNOWN = { retry: false, probe: true, verdict: { end: 'unknown' } } as never;
const TURNED_AWAY = { retry: false, probe: false, verdict: { end: 'rate-limit' } } as never;
const REFUSED = { retry: false, probe: false, verdict: { end: 'rejected' } } as never;

describe('the report of a call', () => {
  let heard: HeardEvent[];
  let stop: () => void;
  let lines: string[];
  let trace: CallTrace;
  let starts: object[];
  let stopStarts: () => void;

  const lastEvent = (): object => heard.at(-1)?.event as object;

  beforeEach(() => {
    ({ heard, stop } = hearDiagnostics());
    starts = [];
    stopStarts = onPaymentsDiagnostics(CALL_ATTEMPT_START_CHANNEL, (event) => {
      starts.push(event);
    });
    lines = keepLogLines();
    trace = new CallTrace(SUBJECT);
  });

  afterEach(() => {
    stop();
    stopStarts();
    Logger.overrideLogger(false);
    vi.restoreAllMocks();
  });

  it.each([
    ['https://gateway.example', 'gateway.example', 443],
    ['http://gateway.example', 'gateway.example', 80],
    ['https://gateway.example:8443', 'gateway.example', 8_443],
    ['http://127.0.0.1:3000', '127.0.0.1', 3_000],
  ])('names server and port of a try that goes to %s', async (origin, serverAddress, serverPort) => {
    const request = { method: 'POST', origin } as never;
    expect(await trace.sending(request, () => Promise.resolve('answer'))).toBe('answer');
    expect(starts[0]).toMatchObject({
      ...SUBJECT,
      attempt: 1,
      method: 'POST',
      serverAddress,
      serverPort,
    });
  });

  it('numbers the tries, and a wait belongs to the try that comes after it', async () => {
    trace.tried({ number: 1, phase: 'ambiguous', durationMs: 5 }, undefined, AGAIN);
    await trace.waiting('retry', Promise.resolve());
    expect(lastEvent()).toMatchObject({ ...SUBJECT, attempt: 2, reason: 'retry' });
    await trace.sending({ method: 'POST', origin: 'https://gateway.example' } as never, () =>
      Promise.resolve(),
    );
    expect(starts[0]).toMatchObject({ attempt: 2 });
  });

  it('measures a call and a wait in whole milliseconds', async () => {
    const now = vi.spyOn(performance, 'now');
    now.mockReturnValue(1_000);
    trace.started();
    const wait = trace.waiting('rate', Promise.resolve());
    now.mockReturnValue(1_250.4);
    await wait;
    expect(lastEvent()).toMatchObject({ durationMs: 250 });
    now.mockReturnValue(1_400.6);
    trace.ended({ end: 'aborted' } as never);
    expect(lastEvent()).toMatchObject({ ...SUBJECT, outcome: 'aborted', attempts: 0, durationMs: 401 });
  });

  it.each([
    [
      { end: 'success', success: { envelope: { code: 'OK', requestId: 'req-1' } } },
      { outcome: 'success', code: 'OK', requestId: 'req-1' },
    ],
    [
      { end: 'unknown', evidence: 'no-answer', error: { name: 'Unknown', code: 'OUTCOME_UNKNOWN' } },
      { outcome: 'unknown', evidence: 'no-answer', error: 'Unknown', code: 'OUTCOME_UNKNOWN' },
    ],
    [
      { end: 'rejected', error: { name: 'Rejected', code: 'ODD', requestId: 'req-2' } },
      { outcome: 'failed', error: 'Rejected', code: 'ODD', requestId: 'req-2' },
    ],
  ])('ends as the call ends: %j', (result, event) => {
    trace.ended(result as never);
    const { callId, durationMs, attempts, ...rest } = lastEvent() as Record<string, unknown>;
    expect(rest).toEqual({ ...SUBJECT, ...event });
  });

  it.each(['authentication', 'redirected', 'request-changed'])(
    'has a warning with the hint if the call ends as %s, because every other call will',
    (end) => {
      const error = { name: 'SomeError', code: 'ODD', httpStatus: 301, hint: 'Set "baseUrl".' };
      trace.ended({ end, error } as never);
      expect(lines).toEqual([
        String.raw`warn disbursement.bank reference="salary-1" error=SomeError code="ODD" httpStatus=301 hint="Set \"baseUrl\"." PaymentsCalls`,
      ]);
    },
  );

  it('has no such warning if the call ends otherwise', () => {
    trace.ended({ end: 'aborted' } as never);
    for (const end of ['rejected', 'unknown', 'unreachable', 'rate-limit', 'unusable-answer'])
      trace.ended({ end, error: { name: 'SomeError', code: 'ODD', hint: 'Wait.' } } as never);
    expect(lines).toEqual([]);
  });

  it('has a warning if the call continues, is unknown, or is turned away', () => {
    const info = { number: 1, phase: 'ambiguous', code: 'ECONNRESET', durationMs: 5 } as const;
    for (const decision of [AGAIN, UNKNOWN, TURNED_AWAY]) trace.tried(info, 'req "1"', decision);
    for (const decision of [ACCEPTED, REFUSED]) trace.tried(info, undefined, decision);
    const line = String.raw`disbursement.bank reference="salary-1" attempt=1 phase=ambiguous code="ECONNRESET" requestId="req \"1\"" duration=5ms`;
    const warnings = lines.filter((one) => one.startsWith('warn'));
    expect(warnings).toEqual(Array.from({ length: 3 }, () => `warn ${line} PaymentsCalls`));
  });
});
