import {
  appendFileSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox, type PaymentsSandboxOptions } from 'nestjs-payments/sandbox';
import { eventually } from '../../support/eventually.js';
import { callerOf, COLLECTION } from '../../support/gateway-caller.js';
import { startSandbox } from '../../support/sandbox.js';
import { startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.js';

const root = mkdtempSync(join(tmpdir(), 'sandbox-data-'));
const folder = (): string => join(root, String((folders += 1)));
const fileIn = (data: string): string => join(data, 'state.jsonl');
const manual = (options: PaymentsSandboxOptions) => startSandbox({ clock: 'manual', ...options });
let folders = 0;

/** Starts where another emulator is at this moment: with what a kill would leave of it. */
async function startAsKilled(data: string, options: PaymentsSandboxOptions = {}): Promise<PaymentsSandbox> {
  const copy = folder();
  mkdirSync(copy);
  copyFileSync(fileIn(data), fileIn(copy));
  return startSandbox({ data: copy, ...options });
}

/** Lets every write into the folder fail from now on. */
function fillDiskOf(sandbox: PaymentsSandbox): void {
  const { recorder } = sandbox as unknown as { readonly recorder: { readonly folder: { file: number } } };
  const file = recorder.folder.file;
  recorder.folder.file = openSync('/dev/full', 'w');
  closeSync(file);
}

/** Everything that a restart must keep. */
function stateOf(sandbox: PaymentsSandbox) {
  return {
    payments: sandbox.payments(),
    payouts: sandbox.payouts(),
    deliveries: sandbox.deliveries(),
    requests: sandbox.requests(),
    balance: sandbox.balance(),
    secret: sandbox.webhookSecret,
    seed: sandbox.seed,
    now: sandbox.clock.now(),
    story: sandbox.explain('order-1'),
  };
}

afterAll(() => {
  rmSync(root, { recursive: true });
});

describe('a sandbox with a folder for its state', () => {
  let data: string;
  let sandbox: PaymentsSandbox;
  let gateway: ReturnType<typeof callerOf>;
  let receiver: WebhookReceiver;

  beforeEach(async () => {
    data = folder();
    receiver = await startReceiver();
    sandbox = await manual({ data, seed: 5 });
    gateway = callerOf(sandbox);
    sandbox.deliverTo(receiver.url);
  });
  afterEach(() => receiver.close());

  it('continues with the same state after a kill, and after a stop', async () => {
    await gateway.collect();
    await gateway.collect({ reference: 'order-2' });
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    await gateway.payToBank();
    await sandbox.clock.advance('3m');
    const before = stateOf(sandbox);

    expect(stateOf(await startAsKilled(data))).toEqual(before);
    await sandbox.stop();
    expect(stateOf(await startSandbox({ data }))).toEqual(before);
  });

  it('refuses an idempotency key that was used before', async () => {
    await gateway.collect({}, { key: 'key-1' });
    const again = await startAsKilled(data);
    const answer = await callerOf(again).collect({ reference: 'order-2' }, { key: 'key-1' });
    expect(answer.body).toMatchObject({ code: 'DUPLICATE_REQUEST' });
  });

  it('continues with the ids, and gives none twice', async () => {
    const first = await gateway.collect();
    const again = await startAsKilled(data);
    const next = await callerOf(again).collect({ reference: 'order-2' });
    const unbroken = await gateway.collect({ reference: 'order-2' });
    expect(next.body['request_id']).toBe(unbroken.body['request_id']);
    expect(next.body['request_id']).not.toBe(first.body['request_id']);
    expect(again.requests().map(({ id }) => id)).toEqual(['1', '2']);
  });

  it('delivers at its time what is due, with the same body and secret', async () => {
    receiver.answerWith(500, 200);
    await gateway.collect();
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    const again = await startAsKilled(data);
    expect(receiver.received).toHaveLength(1);

    await again.clock.advance('4s');
    expect(receiver.received).toHaveLength(1);
    await again.clock.advance('1s');
    const [first, second] = receiver.received;
    expect(second!.body).toEqual(first!.body);
    expect(second!.headers['x-webhook-signature']).toBe(first!.headers['x-webhook-signature']);
    expect(again.deliveries()[0]).toMatchObject({ state: 'delivered', attempts: [{}, {}] });
  });

  it('delivers what is due to the address that was set last, before a restart as after it', async () => {
    receiver.answerWith(500);
    await gateway.collect();
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    const other = await startReceiver();
    sandbox.deliverTo(other.url);
    await new Promise(setImmediate);
    const again = await startAsKilled(data);
    for (const [count, one] of [sandbox, again].entries()) {
      await one.clock.advance('5s');
      expect(one.deliveries()[0]).toMatchObject({ state: 'delivered', url: other.url });
      expect(other.received).toHaveLength(count + 1);
    }
    expect(receiver.received).toHaveLength(1);
    await other.close();
  });

  it('starts a try at once that the killed process had not finished', async () => {
    receiver.answerWith('never', 200);
    await gateway.collect();
    const approved = sandbox.customer(COLLECTION.phone).approve('order-1');
    while (receiver.received.length === 0) await new Promise(setImmediate);
    const again = await startAsKilled(data);
    await again.clock.advance(0);
    expect(again.deliveries()[0]).toMatchObject({ state: 'delivered' });
    expect(receiver.received).toHaveLength(2);
    await sandbox.stop();
    await approved;
  });

  it('sends what was due to the address that is set right after the start, and nothing to the old one', async () => {
    receiver.answerWith('never');
    await gateway.collect();
    const approved = sandbox.customer(COLLECTION.phone).approve('order-1');
    await eventually(() => {
      expect(receiver.received).toHaveLength(1);
    });
    const other = await startReceiver();
    const again = await startAsKilled(data);
    again.deliverTo(other.url);
    await again.clock.advance(0);
    expect(again.deliveries()).toMatchObject([{ state: 'delivered', attempts: [{ url: other.url }] }]);
    expect([receiver.received.length, other.received.length]).toEqual([1, 1]);
    await other.close();
    await sandbox.stop();
    await approved;
  });

  it('lets payments expire and scenarios end at their time', async () => {
    await gateway.collect();
    await gateway.collect({ reference: 'order-2', phone: '255712340002' });
    await gateway.payToBank({ account_number: '0120002' });
    await sandbox.clock.advance('3s');
    const again = await startAsKilled(data);
    const statuses = () => [...again.payments(), ...again.payouts()].map(({ status }) => status);

    expect(statuses()).toEqual(['pending', 'processing', 'processing']);
    await again.clock.advance('27s');
    expect(statuses()).toEqual(['pending', 'success', 'processing']);
    await again.clock.advance('9m');
    await again.clock.advance('30s');
    expect(statuses()).toEqual(['pending', 'success', 'paid']);
    await again.clock.advance('5m');
    expect(statuses()).toEqual(['expired', 'success', 'paid']);
    const { balance, available_balance, locked_balance } = again.balance();
    expect([balance, locked_balance]).toEqual([available_balance, 0]);
  });

  it('keeps faults, banks, account holders and webhook addresses', async () => {
    sandbox.next('GET /merchant-balance').status(503).times(2);
    sandbox.next('GET /bank-shortnames').html(502).probability(0.5);
    sandbox.directory.register('0123456789', 'Neema Said');
    sandbox.merchant('shop').directory.close('0123456789');
    sandbox.merchant('shop').deliverTo(receiver.url);
    await gateway.get('/merchant-balance');

    const again = callerOf(await startAsKilled(data));
    expect((await again.get('/merchant-balance')).status).toBe(503);
    expect((await again.get('/merchant-balance')).status).toBe(200);
    expect((await again.payToBank()).body).toMatchObject({ code: 'ACCOUNT_NAME_MISMATCH' });
    expect((await again.payToBank({}, { merchant: 'shop' })).body).toMatchObject({ code: 'INVALID_ACCOUNT' });
  });

  it('keeps which pairs of keys were issued and revoked', async () => {
    const shop = sandbox.merchant('shop');
    shop.rotateKeys();
    shop.revokeOldKeys();
    shop.rotateKeys();
    await new Promise(setImmediate);
    const again = await startAsKilled(data);
    expect(again.merchant('shop').moduleOptions()).toMatchObject({ apiKey: 'pk_test_shop.2' });
    const statuses = [];
    for (const merchant of ['shop', 'shop.1', 'shop.2', 'shop.3'])
      statuses.push((await callerOf(again).get('/merchant-balance', { merchant })).status);
    expect(statuses).toEqual([401, 200, 200, 401]);
  });

  it('keeps what is said of a planned fault later', async () => {
    const planned = sandbox.next('GET /merchant-balance').status(503);
    await gateway.get('/bank-shortnames');
    planned.times(2);
    await new Promise(setImmediate);
    const again = callerOf(await startAsKilled(data));
    const statuses = [];
    for (let call = 0; call < 3; call += 1) statuses.push((await again.get('/merchant-balance')).status);
    expect(statuses).toEqual([503, 503, 200]);
  });

  it('continues with the choices of the adversarial profile for a repeated call', async () => {
    const here = folder();
    const options = { profile: 'adversarial', seed: 4 } as const;
    const unbroken = await manual({ data: here, ...options });
    const ask = async (one: PaymentsSandbox) => {
      await callerOf(one).get('/merchant-balance');
      const { response_body: body, varied } = one.requests().at(-1)!;
      return { body, varied };
    };
    for (let call = 0; call < 4; call += 1) await ask(unbroken);
    const again = await startAsKilled(here, options);
    for (let call = 0; call < 4; call += 1) expect(await ask(again)).toEqual(await ask(unbroken));
    const fresh = await manual(options);
    const first = await ask(fresh);
    expect(first).not.toEqual(await ask(again));
  });

  it('tells nobody of a change before it is on disk', async () => {
    const seen: [topic: string, isWritten: boolean][] = [];
    sandbox.on('payment', ({ status }) => {
      seen.push([status, readFileSync(fileIn(data), 'utf8').includes(`"status":"${status}"`)]);
    });
    sandbox.on('clock', ({ now }) => {
      const skew = Date.parse(now) - Date.UTC(2026, 0, 1, 9);
      seen.push(['clock', readFileSync(fileIn(data), 'utf8').includes(`"skew":${skew}`)]);
    });
    await gateway.collect();
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    await sandbox.clock.advance('1m');
    await new Promise(setImmediate);
    expect(seen).toEqual([
      ['pending', true],
      ['processing', true],
      ['success', true],
      ['clock', true],
    ]);
  });

  it('has nothing left of what a reset cleared, and continues its ids', async () => {
    await gateway.collect();
    await sandbox.merchant('demo').reset();
    const again = await startAsKilled(data);
    expect([again.payments(), again.requests(), again.deliveries()]).toEqual([[], [], []]);
    const [here, there] = [await gateway.collect(), await callerOf(again).collect()];
    expect(there.body['request_id']).toBe(here.body['request_id']);
  });

  it('takes another secret for its endpoints when it is started with one', async () => {
    await sandbox.stop();
    const again = await startSandbox({ data, webhookSecret: 'another-secret-of-tests' });
    await callerOf(again).collect();
    await again.customer(COLLECTION.phone).approve('order-1');
    const { createHmac } = await import('node:crypto');
    const { headers, body } = receiver.received[0]!;
    const expected = createHmac('sha256', 'another-secret-of-tests').update(body).digest('hex');
    expect(headers['x-webhook-signature']).toBe(expected);
    await again.stop();

    const third = await startSandbox({ data });
    expect(third.webhookSecret).toBe('another-secret-of-tests');
    await callerOf(third).collect({ reference: 'order-2' });
    await third.customer(COLLECTION.phone).approve('order-2');
    const next = receiver.received[1]!;
    const nextExpected = createHmac('sha256', 'another-secret-of-tests').update(next.body).digest('hex');
    expect(next.headers['x-webhook-signature']).toBe(nextExpected);
  });

  it('drops a line that was half written, and only that', async () => {
    await gateway.collect();
    const whole = readFileSync(fileIn(data));
    await gateway.collect({ reference: 'order-2' });
    const [line = ''] = readFileSync(fileIn(data), 'utf8').slice(whole.toString().length).split('\n');
    await sandbox.stop();
    for (const cut of [1, line.length >> 1, line.length]) {
      writeFileSync(fileIn(data), whole);
      appendFileSync(fileIn(data), line.slice(0, cut));
      const again = await startSandbox({ data });
      expect(again.payments().map(({ reference }) => reference)).toEqual(['order-1']);
      await callerOf(again).collect({ reference: 'order-3' });
      await again.stop();
      const after = await startSandbox({ data });
      expect(after.payments()).toHaveLength(2);
      await after.stop();
    }
  });

  it('is open to its owner only', () => {
    expect(statSync(data).mode & 0o777).toBe(0o700);
    expect(statSync(fileIn(data)).mode & 0o777).toBe(0o600);
  });

  it('shares its folder with no other sandbox, and gives it back', async () => {
    await expect(startSandbox({ data })).rejects.toThrow(/uses the folder .* already/);
    await sandbox.stop();
    const next = await startSandbox({ data });
    await next.stop();
  });

  it('gives its folder back if it cannot start', async () => {
    await sandbox.stop();
    const port = Number(new URL((await startSandbox()).url).port);
    await expect(startSandbox({ data, port })).rejects.toThrow(/taken/);
    await startSandbox({ data });
  });

  it('moves into another sandbox by export and import', async () => {
    receiver.answerWith(500, 200);
    await gateway.collect();
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    const state = JSON.parse(JSON.stringify(sandbox.export())) as ReturnType<PaymentsSandbox['export']>;
    const other = await manual({ data: folder() });
    await callerOf(other).collect({ reference: 'gone' });
    await other.import(state);

    expect({ ...stateOf(other), secret: '', seed: 0 }).toEqual({ ...stateOf(sandbox), secret: '', seed: 0 });
    await other.clock.advance('5s');
    expect(other.deliveries()[0]).toMatchObject({ state: 'delivered' });
  });

  it('has the old state or the new one on disk at every moment of an import', async () => {
    const other = await manual({});
    await callerOf(other).collect({ reference: 'new' });
    await gateway.collect({ reference: 'old' });
    const onDisk = () => {
      const text = readFileSync(fileIn(data), 'utf8');
      return ['old', 'new'].filter((name) => text.includes(`["payment","demo","${name}"]`));
    };
    const imported = sandbox.import(other.export());
    const seen = new Set([onDisk().join()]);
    for (let turn = 0; turn < 20; turn += 1) {
      await Promise.resolve();
      seen.add(onDisk().join());
    }
    await imported;
    seen.add(onDisk().join());
    expect([...seen]).toEqual(['old', 'new']);
  });

  it('has a timer for no payment that has ended', async () => {
    await gateway.collect();
    await gateway.collect({ reference: 'order-2' });
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    const again = await startAsKilled(data);
    const { waiting } = again.clock as unknown as { readonly waiting: readonly unknown[] };
    expect(waiting).toHaveLength(1);
  });

  it('forgets what happened to a reference without a payment with its requests', async () => {
    const name = 'x'.repeat(60_000);
    await gateway.collect();
    for (let index = 0; index < 80; index += 1)
      await gateway.collect({ reference: `refused-${index}`, amount: '', customer_name: name });
    const again = await startAsKilled(data);
    for (const one of [sandbox, again]) {
      expect(one.explain('refused-0')).toContain('Nothing has happened');
      expect(one.explain('refused-79')).toContain('-> 422');
      expect(one.explain('order-1')).toContain('pending');
    }
    expect(sandbox.requests().map(({ reference }) => reference)).not.toContain('order-1');
  });

  it('keeps of a reference that is refused again and again only what happened lately', async () => {
    const name = 'x'.repeat(60_000);
    const refuse = async (one: PaymentsSandbox, times: number): Promise<void> => {
      for (let index = 0; index < times; index += 1)
        await callerOf(one).collect({ reference: 'refused', amount: '', customer_name: name });
    };
    const tries = (one: PaymentsSandbox) => one.explain('refused').match(/-> 422/g)?.length;
    await refuse(sandbox, 80);
    const kept = sandbox.requests().length;
    expect(kept).toBeLessThan(80);
    expect(tries(sandbox)).toBe(kept);
    const before = sandbox.explain('refused');
    await sandbox.stop();
    const next = await startSandbox({ data });
    expect(next.explain('refused')).toBe(before);
    await refuse(next, 10);
    expect(tries(next)).toBe(kept);
    expect((await startAsKilled(data)).explain('refused')).toBe(next.explain('refused'));
  });

  it('skips what waits for a webhook address that was removed, before a restart as after it', async () => {
    receiver.answerWith(200, 500);
    for (const reference of ['order-1', 'order-2']) {
      await gateway.collect({ reference });
      await sandbox.customer(COLLECTION.phone).approve(reference);
    }
    await fetch(`${sandbox.url}/_sandbox/v1/webhooks/endpoints/default`, { method: 'DELETE' });
    const again = await startAsKilled(data);
    for (const one of [sandbox, again]) {
      expect(one.deliveries().map(({ state }) => state)).toEqual(['delivered', 'skipped']);
      await one.clock.advance('1h');
    }
    expect(again.deliveries()).toEqual(sandbox.deliveries());
    expect(receiver.received).toHaveLength(2);
  });

  it('tells after a restart that no try follows, if copies were on their way before it', async () => {
    const options = { profile: 'adversarial', seed: 7 } as const;
    const place = folder();
    const before = await manual({ data: place, ...options });
    before.deliverTo(receiver.url);
    receiver.answerWith('never');
    await callerOf(before).collect();
    const approved = before.customer(COLLECTION.phone).approve('order-1');
    await eventually(() => {
      expect(receiver.received).toHaveLength(3);
    });
    receiver.answerLast(500);
    await eventually(() => {
      expect(readFileSync(fileIn(place), 'utf8')).toContain('answered 500');
    });
    const again = await startAsKilled(place, options);
    await fetch(`${again.url}/_sandbox/v1/webhooks/endpoints/default`, { method: 'DELETE' });
    expect(again.explain('order-1').split('\n').at(-1)).toContain('not sent again');
    receiver.answerAll(500);
    await approved;
  });

  it.runIf(process.platform === 'linux')(
    'answers with an error once the disk is full, and stops',
    async () => {
      await gateway.collect();
      fillDiskOf(sandbox);
      const failed = await gateway.collect({ reference: 'order-2' });
      expect([failed.status, failed.body['code']]).toEqual([500, 'SANDBOX_FAILED']);
      expect(failed.body['message']).toMatch(/^The folder .*ENOSPC.*make room on the disk/);
      const later = await gateway.get('/merchant-balance');
      expect([later.status, later.body['code']]).toEqual([500, 'SANDBOX_FAILED']);
      const health = await fetch(`${sandbox.url}/_sandbox/v1/health`);
      expect([health.status, await health.json()]).toMatchObject([
        500,
        { error: { code: 'SANDBOX_FAILED' } },
      ]);
      await sandbox.customer(COLLECTION.phone).approve('order-1');

      await expect(sandbox.stop()).rejects.toThrow(/ENOSPC/);
      await expect(fetch(sandbox.url)).rejects.toThrow('fetch failed');
      const again = await startSandbox({ data });
      expect(again.payments()).toMatchObject([{ reference: 'order-1', status: 'pending' }]);
    },
  );

  it.runIf(process.platform === 'linux')(
    'answers the first call of the control API after the disk was full with the same error',
    async () => {
      fillDiskOf(sandbox);
      const answer = await fetch(`${sandbox.url}/_sandbox/v1/faults`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ operation: 'GET /merchant-balance', kind: 'hang' }),
      });
      expect([answer.status, await answer.json()]).toEqual([
        500,
        {
          error: { code: 'SANDBOX_FAILED', message: expect.stringMatching(/^The folder .*ENOSPC/) as string },
        },
      ]);
      await expect(sandbox.stop()).rejects.toThrow(/ENOSPC/);
    },
  );

  it.runIf(process.platform === 'linux')('settles and delivers nothing once the disk is full', async () => {
    await gateway.collect();
    await gateway.collect({ reference: 'order-2', phone: '255712340001' });
    fillDiskOf(sandbox);
    await expect(sandbox.clock.advance('1h')).rejects.toThrow(/ENOSPC/);
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    expect(receiver.received).toEqual([]);
    await expect(sandbox.stop()).rejects.toThrow(/ENOSPC/);
    const again = await startSandbox({ data });
    again.deliverTo(receiver.url);
    await again.clock.advance('1h');
    const heard = receiver.received.map(({ body }) => (JSON.parse(String(body)) as { event: string }).event);
    expect(heard).toEqual(['payment.success', 'payment.expired']);
  });

  it('answers, settles and delivers nothing once another emulator has its folder', async () => {
    await gateway.collect();
    const file = join(data, 'lock');
    const lock = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...lock, id: '00000000-0000-4000-8000-000000000000' }));
    await eventually(async () => {
      expect((await gateway.get('/merchant-balance')).body['message']).toContain('took over the folder');
    });
    await expect(sandbox.clock.advance('1h')).rejects.toThrow('took over the folder');
    expect([receiver.received, sandbox.payments()]).toEqual([
      [],
      [expect.objectContaining({ status: 'pending' })],
    ]);
    await expect(sandbox.stop()).rejects.toThrow('took over the folder');
  });

  // Windows removes no file that is open.
  it.skipIf(process.platform === 'win32')(
    'stops without an error if its folder was removed and nothing has changed since',
    async () => {
      await gateway.collect();
      const { failed } = sandbox;
      rmSync(data, { recursive: true });
      expect((await failed)?.message).toMatch(/ is gone: somebody removed it, or its folder/);
      await expect(sandbox.clock.advance('1h')).rejects.toThrow(' is gone: ');
      await sandbox.stop();
    },
  );

  it.skipIf(process.platform === 'win32')(
    'stops with an error if its folder was removed and something has changed since',
    async () => {
      await gateway.collect();
      rmSync(data, { recursive: true });
      await sandbox.failed;
      await sandbox.customer(COLLECTION.phone).approve('order-1');
      await expect(sandbox.stop()).rejects.toThrow(/ is gone: somebody removed it, or its folder/);
    },
  );

  it.runIf(process.platform === 'linux')(
    'answers a delayed call with an error once the disk is full, and its clock continues',
    async () => {
      sandbox.next('POST /payments/mobile-money').delay('5s');
      const delayed = gateway.collect();
      await eventually(async () => {
        const clock = (await (await fetch(`${sandbox.url}/_sandbox/v1/clock`)).json()) as {
          readonly due: object[];
        };
        expect(clock.due).toContainEqual(expect.objectContaining({ what: 'answer' }));
      });
      fillDiskOf(sandbox);
      await expect(sandbox.clock.advance('5s')).rejects.toThrow(/ENOSPC/);
      const { status, body } = await delayed;
      expect([status, body['code']]).toEqual([500, 'SANDBOX_FAILED']);
      const now = sandbox.clock.now();
      await expect(sandbox.clock.advance('1m')).rejects.toThrow(/ENOSPC/);
      expect(sandbox.clock.now()).toBe(now + 60_000);
      await expect(sandbox.stop()).rejects.toThrow(/ENOSPC/);
    },
  );
});

describe('a folder that cannot be used', () => {
  it.each([
    ['hello\n', /holds no state/],
    ['{"my":"file without a final newline"}', /holds no state/],
    ['{"format":"nestjs-payments sandbox state","version":7}\n', /version 7/],
    ['{"format":"nestjs-payments sandbox state","version":2}\n{"a":1}\n', /Line 2 of .* is damaged/],
  ])('is refused: %j', async (text, problem) => {
    const data = folder();
    mkdirSync(data);
    writeFileSync(fileIn(data), text);
    await expect(startSandbox({ data })).rejects.toThrow(problem);
    expect(readFileSync(fileIn(data), 'utf8')).toBe(text);
  });

  it('is refused if it is a file, or no path', async () => {
    const data = folder();
    writeFileSync(data, '');
    await expect(startSandbox({ data })).rejects.toThrow(/cannot keep the state \(E/);
    await expect(startSandbox({ data: '' })).rejects.toThrow(/data must be the path/);
  });

  it('is started with an address elsewhere only by a sandbox that may deliver there', async () => {
    const own = folder();
    const remote = await startSandbox({ data: own, allowRemoteWebhooks: true });
    remote.deliverTo('http://192.0.2.2/webhooks');
    await remote.stop();
    await expect(startSandbox({ data: own })).rejects.toThrow('--allow-remote');
    await (await startSandbox({ data: own, allowRemoteWebhooks: true })).stop();
  });
});
