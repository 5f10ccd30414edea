import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { envelope } from '../../support/gateway-answers.js';
import { type Merchant, startMerchant } from '../../support/merchant.js';
import {
  type Behaviour,
  json,
  type MisbehavingGateway,
  reset,
  startMisbehavingGateway,
  text,
} from '../../support/misbehaving-gateway.js';

const BANKS = [
  { id: 1, name: 'Able Bank', code: 'ABC', branches: ['Mwanza'] },
  { id: 2, name: 'Best Bank', code: 'BBB' },
];
const HOUR_MS = 3_600_000;

let gateway: MisbehavingGateway;
let merchant: Merchant;

beforeEach(async () => {
  // Only the clock that ages are taken by: the sockets keep their own time.
  vi.useFakeTimers({
    toFake: ['performance'],
  });
  gateway = await startMisbehavingGateway();
  gateway.answer(json(envelope(BANKS)));
  merchant = await startMerchant({ baseUrl: gateway.baseUrl, banks: {} });
});
afterEach(async () => {
  await merchant.close();
  await gateway.close();
  vi.useRealTimers();
});

function pass(ms: number): void {
  vi.advanceTimersByTime(ms);
}

describe('the bank directory', () => {
  it('asks once, for the list and for each bank in it, until the list is an hour old', async () => {
    const first = await merchant.banks.list();
    pass(HOUR_MS - 1);
    const second = await merchant.banks.list();
    expect(second).toEqual(BANKS);
    expect(await merchant.banks.find('bbb')).toEqual(BANKS[1]);
    expect(await merchant.banks.find('none')).toBeUndefined();
    expect(gateway.seen).toHaveLength(1);
    expect(first.lastResponse.attempts).toHaveLength(1);
    expect(second.lastResponse).toEqual({ ...first.lastResponse, attempts: [] });

    pass(1);
    gateway.answer(json(envelope([BANKS[1]])));
    expect(await merchant.banks.list()).toEqual([BANKS[1]]);
    expect(gateway.seen).toHaveLength(2);
  });

  it('asks every time without the option', async () => {
    const plain = await startMerchant({ baseUrl: gateway.baseUrl });
    try {
      await plain.banks.list();
      await plain.banks.list();
      expect(gateway.seen).toHaveLength(2);
    } finally {
      await plain.close();
    }
  });

  it('gives each caller a list of its own', async () => {
    for (let call = 0; call < 3; call += 1) {
      const banks = await merchant.banks.list();
      expect(banks).toEqual(BANKS);
      (banks[0] as unknown as { branches: string[] }).branches.push('Tanga');
      banks.pop();
    }
    expect(gateway.seen).toHaveLength(1);
  });

  it('gives and keeps a list in which a field is nested too deeply to be copied', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const body = JSON.stringify(envelope([{ ...BANKS[0], branches: 'deep' }, BANKS[1]]));
    gateway.answer(text(body.replace('"deep"', deep), 200, { 'content-type': 'application/json' }));
    for (let call = 0; call < 3; call += 1) {
      const banks = await merchant.banks.list();
      expect(banks.map(({ code }) => code)).toEqual(['ABC', 'BBB']);
      Object.assign(banks[0]!, { code: 'changed by its caller' });
    }
    expect(gateway.seen).toHaveLength(1);
  });

  it.each([
    ['is out of reach', reset],
    ['fails', text('<h1>oops</h1>', 502)],
    ['limits the rate', json({ message: 'slow down' }, 429, { 'retry-after': '3600' })],
  ])('gives the old list, with a warning, if the gateway %s', async (_, failing) => {
    await merchant.banks.list();
    pass(2 * HOUR_MS);
    gateway.answer(failing);
    const banks = await merchant.banks.list();
    expect(banks).toEqual(BANKS);
    expect(banks.lastResponse.attempts.length).toBeGreaterThan(0);
    expect(banks.lastResponse.warnings).toEqual([
      expect.stringMatching(/^the gateway could not list its banks \([A-Z_]+\): this list is 7200 s old$/),
    ]);
    const found = await merchant.banks.find('ABC');
    expect(found?.lastResponse.warnings).toHaveLength(1);
  });

  it('asks a failing gateway again after half a minute, and forgets the failure once it answers', async () => {
    await merchant.banks.list();
    pass(HOUR_MS);
    gateway.answer(text('', 500));
    await merchant.banks.list();
    const asked = gateway.seen.length;

    pass(29_999);
    const waiting = await merchant.banks.list();
    expect(gateway.seen).toHaveLength(asked);
    expect(waiting.lastResponse).toMatchObject({
      attempts: [],
      warnings: [expect.stringContaining('3629 s old')],
    });

    pass(1);
    gateway.answer(json(envelope([BANKS[0]])));
    const renewed = await merchant.banks.list();
    expect(renewed).toEqual([BANKS[0]]);
    expect(renewed.lastResponse.warnings).toEqual([]);
    expect(gateway.seen).toHaveLength(asked + 1);
  });

  it('throws once the old list is older than it may be', async () => {
    await merchant.banks.list();
    gateway.answer(text('', 500));
    pass(25 * HOUR_MS - 1);
    await expect(merchant.banks.list()).resolves.toEqual(BANKS);
    pass(1);
    await expect(merchant.banks.list()).rejects.toMatchObject({ name: 'GatewayAnswerError' });
  });

  it('throws if it never had a list, or may not give an old one', async () => {
    gateway.answer(text('', 500));
    await expect(merchant.banks.list()).rejects.toMatchObject({ name: 'GatewayAnswerError' });
    const strict = await startMerchant({ baseUrl: gateway.baseUrl, banks: { staleIfErrorMs: 0 } });
    try {
      gateway.answer(json(envelope(BANKS)));
      await strict.banks.list();
      gateway.answer(text('', 500));
      pass(HOUR_MS);
      await expect(strict.banks.list()).rejects.toMatchObject({ name: 'GatewayAnswerError' });
    } finally {
      await strict.close();
    }
  });

  it('hides neither wrong keys nor a wrong call behind an old list', async () => {
    await merchant.banks.list();
    await expect(merchant.banks.list({ timeoutMs: 0 })).rejects.toMatchObject({
      name: 'PaymentsValidationError',
      operation: 'banks.list',
    });
    const reason = new Error('the caller left');
    await expect(merchant.banks.list({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);

    pass(HOUR_MS);
    gateway.answer(json({ status: 'error', code: 'UNAUTHORIZED', message: 'no' }, 401));
    await expect(merchant.banks.list()).rejects.toMatchObject({ name: 'PaymentsAuthenticationError' });
  });

  it('passes an empty list on and does not keep it', async () => {
    gateway.answer(json(envelope([])));
    expect(await merchant.banks.list()).toEqual([]);
    gateway.answer(json(envelope(BANKS)));
    expect(await merchant.banks.list()).toEqual(BANKS);
  });
});

describe('calls at once', () => {
  let release: () => void;
  /** Answers when it is released. */
  const held: Behaviour = (...exchange) => {
    release = () => {
      json(envelope(BANKS))(...exchange);
    };
  };

  beforeEach(() => {
    gateway.answer(held);
  });

  it('share one request, and each gets a list of its own', async () => {
    const finding = Array.from({ length: 200 }, () => merchant.banks.find('ABC'));
    const listing = [merchant.banks.list(), merchant.banks.list()];
    await gateway.arrived(1);
    release();
    expect(await Promise.all(finding)).toEqual(Array.from({ length: 200 }, () => BANKS[0]));
    const [one, other] = await Promise.all(listing);
    one!.pop();
    expect(other).toEqual(BANKS);
    expect(other!.lastResponse.attempts).toHaveLength(1);
    expect(await merchant.banks.list()).toEqual(BANKS);
    expect(gateway.seen).toHaveLength(1);
  });

  it.each([
    ['signal', { deadlineMs: 60_000 }, { name: 'AbortError' }],
    ['deadline', { deadlineMs: 1 }, { code: 'NO_ANSWER', operation: 'banks.list', retryable: true }],
  ])('do not end by the %s of the first one', async (end, options, error) => {
    const controller = new AbortController();
    const first = expect(
      merchant.banks.list({ ...options, signal: controller.signal }),
    ).rejects.toMatchObject(error);
    const second = merchant.banks.list();
    const third = merchant.banks.find('ABC');
    await gateway.arrived(1);
    if (end === 'signal') controller.abort();
    await first;
    release();
    expect(await second).toEqual(BANKS);
    expect(await third).toEqual(BANKS[0]);
    expect(gateway.seen).toHaveLength(1);
  });

  it('end by their own signal and deadline, and get the old list after the deadline', async () => {
    gateway.answer(json(envelope(BANKS)), held);
    await merchant.banks.list();
    pass(HOUR_MS);
    const controller = new AbortController();
    const first = merchant.banks.list();
    const aborted = merchant.banks.list({ signal: controller.signal });
    const late = await merchant.banks.list({ deadlineMs: 1 });
    expect(late.lastResponse.warnings).toEqual([expect.stringContaining('(NO_ANSWER)')]);
    controller.abort('enough');
    await expect(aborted).rejects.toBe('enough');
    await gateway.arrived(2);
    release();
    expect((await first).lastResponse.warnings).toEqual([]);
    expect(gateway.seen).toHaveLength(2);
  });

  it('share the failure of the gateway, and the next call asks again', async () => {
    gateway.answer(text('', 500));
    const calls = [1, 2, 3].map(() => merchant.banks.list());
    for (const call of calls) await expect(call).rejects.toMatchObject({ name: 'GatewayAnswerError' });
    expect(gateway.seen).toHaveLength(3);
    gateway.answer(json(envelope(BANKS)));
    expect(await merchant.banks.list()).toEqual(BANKS);
  });

  it('with other tries have a request of their own', async () => {
    gateway.answer(text('', 500));
    const calls = [merchant.banks.list(), merchant.banks.list({ retry: false })];
    await Promise.allSettled(calls);
    expect(gateway.seen).toHaveLength(4);
  });
});
