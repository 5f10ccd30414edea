import { describe, expect, it } from 'vitest';
import { clockCheck, keyCheck, reachabilityCheck } from '../../../../lib/cli/doctor/gateway.checks.js';
import { badCheck, goodCheck } from '../../../../lib/cli/doctor/webhook.checks.js';
import { type RequestRecord } from '../../../../lib/cli/http-exchange.js';

const NOW = Date.parse('2026-01-05T09:00:00Z');
const answer = (status: number): RequestRecord => ({ status, headers: {}, text: '', durationMs: 4 });

describe('the clock', () => {
  it.each([
    { off: 0, tookMs: 100, state: 'ok', detail: "within 1 s of the gateway's" },
    { off: 0, tookMs: 60_000, state: 'ok', detail: "within 1 s of the gateway's" },
    { off: 30_000, tookMs: 0, state: 'ok', detail: "within 30 s of the gateway's" },
    { off: 31_000, tookMs: 0, state: 'failed', detail: "31 s behind the gateway's" },
    { off: -31_000, tookMs: 0, state: 'ok', detail: "within 30 s of the gateway's" },
    { off: -32_000, tookMs: 0, state: 'failed', detail: "31 s ahead of the gateway's" },
  ])('$off ms away after $tookMs ms: $detail', ({ off, tookMs, state, detail }) => {
    const headers = { date: new Date(NOW + off).toUTCString() };
    expect(clockCheck({ headers }, NOW, NOW + tookMs)).toMatchObject({ state, detail });
  });

  it.each([undefined, 'soon'])('is not judged if the gateway says %s', (date) => {
    expect(clockCheck({ headers: date === undefined ? {} : { date } }, NOW, NOW).state).toBe('skipped');
  });
});

describe('the keys', () => {
  it.each([
    [200, '{"data":{"balance":1}}', 'ok'],
    [200, '{"data":null}', 'failed'],
    [200, 'null', 'failed'],
    [200, '<html>', 'failed'],
    [401, '{"data":{}}', 'failed'],
    [403, '', 'failed'],
    [500, '{"data":{}}', 'failed'],
  ])('answered %d with %s: %s', (status, text, state) => {
    expect(keyCheck({ status, text }).state).toBe(state);
  });

  it.each([
    [404, 'answered 404 to GET /merchant-balance', 'is this the gateway?'],
    [429, 'answered 429: too many calls', 'Wait a minute, and run it again: the keys were not judged.'],
    [503, 'answered 503: the gateway fails', 'Run it again later'],
  ])('answered %d: %s', (status, detail, fix) => {
    const check = keyCheck({ status, text: '' });
    expect(check).toMatchObject({ state: 'failed', detail });
    expect(check.fix).toContain(fix);
  });
});

describe('the way to the gateway', () => {
  const url = new URL('https://gateway.example/api/v1');

  it('names what worked', () => {
    expect(reachabilityCheck(url, answer(500)).detail).toBe(
      'gateway.example answers over TCP, TLS and HTTP in 4 ms',
    );
  });

  it.each([
    ['lookup', 'DNS', 'nslookup'],
    ['connect', 'connecting', 'firewall'],
    ['tls', 'TLS', 'NODE_EXTRA_CA_CERTS'],
    ['answer', 'HTTP', 'is it the gateway'],
  ] as const)('names %s as the step that failed, and what to do', (step, name, fix) => {
    const check = reachabilityCheck(url, { step, problem: 'it broke', durationMs: 1 });
    expect(check).toMatchObject({ state: 'failed', detail: `${name} failed: it broke` });
    expect(check.fix).toContain(fix);
  });
});

describe('the webhook route', () => {
  it.each([
    [200, 'ok'],
    [201, 'failed'],
    [401, 'failed'],
    [418, 'failed'],
  ])('answered %d to a good event: %s', (status, state) => {
    expect(goodCheck(answer(status)).state).toBe(state);
  });

  it.each([
    [401, 'ok', 'refused with 401'],
    [200, 'failed', 'taken with 200'],
    [201, 'failed', 'taken with 201'],
    [403, 'failed', 'instead of 401'],
    [500, 'failed', 'instead of 401'],
  ])('answered %d to an altered event: %s', (status, state, detail) => {
    const check = badCheck('altered', answer(status));
    expect(check.state).toBe(state);
    expect(check.detail).toContain(detail);
  });
});
