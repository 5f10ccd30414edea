import { type IncomingHttpHeaders } from 'node:http';
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

  it.each([
    [3_600_000, 'skipped', 'the emulator has a clock of its own, 3600 s away'],
    [-3_600_000, 'skipped', 'the emulator has a clock of its own, 3599 s away'],
    [0, 'ok', "within 1 s of the gateway's"],
  ])('is not called wrong for an emulator whose clock is %d ms away', (off, state, detail) => {
    const headers = { date: new Date(NOW + off).toUTCString(), 'x-sandbox-rule': 'default manual' };
    expect(clockCheck({ headers }, NOW, NOW)).toMatchObject({ state, detail });
  });

  it.each([undefined, 'soon'])('is not judged if the gateway says %s', (date) => {
    expect(clockCheck({ headers: date === undefined ? {} : { date } }, NOW, NOW).state).toBe('skipped');
  });
});

describe('the keys', () => {
  const BALANCE = { balance: '9.00', available_balance: '9.00', locked_balance: '0.00', currency: 'TZS' };

  it.each([
    [200, { status: 'success', data: BALANCE }],
    [200, { status: 'success', code: 'SUCCESS', data: { ...BALANCE, balance: 9, more: null } }],
    [201, { success: true, status: 'success', data: BALANCE }],
  ])('are taken: %d with %j', (status, body) => {
    const detail = 'taken (the balance could be read)';
    expect(keyCheck({ status, headers: {}, text: JSON.stringify(body) })).toMatchObject({
      state: 'ok',
      detail,
    });
  });

  it.each<[status: number, body: unknown, detail: string]>([
    [200, { data: BALANCE }, 'answered 200 without a balance'],
    [200, { status: 'success', data: {} }, 'answered 200 without a balance'],
    [200, { status: 'success', data: [BALANCE] }, 'answered 200 without a balance'],
    [200, { status: 'success', data: { ...BALANCE, balance: 0.001 } }, 'answered 200 without a balance'],
    [200, { status: 'success', data: null }, 'answered 200 without a balance'],
    [200, { status: 'success', success: false, data: BALANCE }, 'answered 200 without a balance'],
    [200, { status: 'success', code: 'UNAUTHORIZED', data: BALANCE }, 'answered 200 without a balance'],
    [200, null, 'answered 200 without a balance'],
    [401, { status: 'success', data: BALANCE }, 'refused with 401'],
    [401, { status: 'error', code: 'UNAUTHORIZED' }, 'refused with 401'],
    [403, { status: 'error', code: 'INSUFFICIENT_PERMISSIONS' }, 'refused with 403'],
    [401, { success: false, message: 'no', errors: { api_key: ['unknown'] } }, 'refused with 401'],
    [500, { status: 'success', data: BALANCE }, 'answered 500: the gateway fails'],
    [
      200,
      { success: false, code: 'UNAUTHORIZED', data: {}, errors: {} },
      'refused with the code UNAUTHORIZED under HTTP 200',
    ],
    [
      422,
      { status: 'error', code: 'INSUFFICIENT_PERMISSIONS' },
      'refused with the code INSUFFICIENT_PERMISSIONS under HTTP 422',
    ],
    [
      200,
      { status: 'error', code: 'INVALID_CREDENTIALS', data: {} },
      'answered 200 with the code INVALID_CREDENTIALS',
    ],
    [400, { status: 'error', code: 'pk_live_canary \u001b[2J' }, 'answered 400 with the code [redacted] [2J'],
  ])('are not taken: %d with %j', (status, body, detail) => {
    expect(keyCheck({ status, headers: {}, text: JSON.stringify(body) })).toMatchObject({
      state: 'failed',
      detail,
    });
  });

  it('are not judged by what is no JSON, cut off, or long', () => {
    const cut = JSON.stringify({ status: 'success', data: BALANCE }).slice(0, -1);
    for (const text of ['', '<html>', cut]) {
      expect(keyCheck({ status: 200, headers: {}, text }).detail).toBe('answered 200 without a balance');
    }
    const long = JSON.stringify({ status: 'error', code: 'X'.repeat(9_000) });
    expect(keyCheck({ status: 400, headers: {}, text: long }).detail.length).toBeLessThan(100);
  });

  it('are not judged by the error page of a program on the way', () => {
    const headers = { 'content-type': 'text/html' };
    const text = JSON.stringify({ status: 'error', code: 'UNAUTHORIZED' });
    expect(keyCheck({ status: 200, headers, text }).detail).toBe('answered 200 without a balance');
  });

  it.each([
    [401, 'text/html', '<html>no</html>'],
    [403, 'text/html', '<html>no</html>'],
    [403, undefined, ''],
  ])('are not judged by a %d of %s that is no error of the gateway', (status, contentType, text) => {
    const check = keyCheck({ status, headers: contentType ? { 'content-type': contentType } : {}, text });
    expect(check).toMatchObject({
      state: 'failed',
      detail: `answered ${status} without an error of the gateway: something before it answered`,
    });
    expect(check.fix).toContain('allow-list of IP addresses');
    expect(check.fix).toContain('firewall');
    expect(check.fix).toContain('the keys were not judged');
    expect(check.fix).not.toContain('portal');
  });

  // The specification gives each error a code or messages by field; AWS answers exactly the second one.
  it.each([
    [401, { message: 'Unauthenticated.' }],
    [403, { message: 'Forbidden' }],
    [403, { success: false, message: 'no', errors: {} }],
  ])('may have been refused, or not have been seen: %d with %j', (status, body) => {
    const headers = { 'content-type': 'application/json' };
    const check = keyCheck({ status, headers, text: JSON.stringify(body) });
    expect(check).toMatchObject({
      state: 'failed',
      detail: `answered ${status} without a code of the gateway: it refused the keys, or something before it answered`,
    });
    const [keys, firewall, ...others] = check.fix!.split('\n');
    expect(keys).toContain("Take the pair from the gateway's portal again");
    expect(firewall).toContain('If the pair is right');
    expect(firewall).toContain('allow-list of IP addresses');
    expect(others).toEqual([]);
  });

  it('are not judged by a proxy that wants a login', () => {
    const check = keyCheck({ status: 407, headers: {}, text: '<html>' });
    expect(check).toMatchObject({
      state: 'failed',
      detail: 'answered 407: a proxy on the way wants a login',
    });
    expect(check.fix).toContain('the keys were not judged');
  });

  it.each([
    [404, 'answered 404 to GET /merchant-balance', 'is this the gateway?'],
    [429, 'answered 429: too many calls', 'Wait a minute, and run it again: the keys were not judged.'],
    [503, 'answered 503: the gateway fails', 'Run it again later'],
  ])('answered %d: %s', (status, detail, fix) => {
    const check = keyCheck({ status, headers: {}, text: '' });
    expect(check).toMatchObject({ state: 'failed', detail });
    expect(check.fix).toContain(fix);
  });

  it.each<[IncomingHttpHeaders, string]>([
    [{ 'retry-after': '600' }, 'Wait 600 seconds, and run it again'],
    [
      { 'retry-after': 'Fri, 20 Nov 2026 10:05:00 GMT', date: 'Fri, 20 Nov 2026 10:00:00 GMT' },
      'Wait 300 seconds,',
    ],
    [{ 'retry-after': 'later' }, 'Wait a minute,'],
  ])('are not judged by a 429, which asks to wait: %j', (headers, fix) => {
    expect(keyCheck({ status: 429, headers, text: '' }).fix).toContain(fix);
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
