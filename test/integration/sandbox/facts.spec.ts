import { describe, expect, it } from 'vitest';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type GatewayFacts, type PaymentsSandbox } from 'nestjs-payments/sandbox';
import {
  BANK_PAYOUT,
  callerOf,
  COLLECTION,
  MOBILE_PAYOUT,
  type RawAnswer,
} from '../../support/gateway-caller.js';
import { FACTS, profileWith, randomProfile } from '../../support/gateway-profiles.js';
import { startSandbox } from '../../support/sandbox.js';
import { startReceiver } from '../../support/webhook-receiver.js';

type Caller = ReturnType<typeof callerOf>;
type Ask = (gateway: Caller) => Promise<RawAnswer>;
/** Finds out over HTTP which value a fact has. The expected value is told where a single call cannot show it. */
type Observe = (gateway: Caller, sandbox: PaymentsSandbox, expected: never) => Promise<unknown>;

const REFUSED: Readonly<Record<string, Ask>> = {
  INVALID_REQUEST: (gateway) => gateway.post('/payments/mobile-money', '{'),
  DUPLICATE_REQUEST: (gateway) => twice(() => gateway.collect({}, { key: 'one' })),
  DUPLICATE_REFERENCE: (gateway) => twice(() => gateway.payToBank()),
  INVALID_BANK_CODE: (gateway) =>
    gateway.lookUp({ channel: 'BANK', account_number: '0123456789', bank_code: 'NONE' }),
  ACCOUNT_NOT_FOUND: (gateway) => gateway.lookUp({ channel: 'MOBILE_MONEY', account_number: '12' }),
  INVALID_CHANNEL: (gateway) => gateway.lookUp({ channel: 'NONE', account_number: '255712345678' }),
  INVALID_BANK: (gateway) => gateway.payToBank({ bank_code: 'NONE' }),
  INVALID_ACCOUNT: (gateway) => gateway.payToBank({ account_number: '1' }),
  ACCOUNT_NAME_MISMATCH: (gateway) => gateway.payToBank({}, { headers: { 'x-sandbox-scenario': '0406' } }),
  INVALID_NETWORK: (gateway) => gateway.payToPhone({ network: 'NONE' }),
  INVALID_PHONE: (gateway) => gateway.payToPhone({ recipient_phone: '255' }),
  INSUFFICIENT_BALANCE: (gateway) => gateway.payToBank({ amount: 5_000_000 }),
};

const SUCCEEDED: Readonly<Record<string, Ask>> = {
  'POST /payments/partnerpesa': (gateway) => gateway.post('/payments/partnerpesa', COLLECTION),
  'GET /merchant-balance': (gateway) => gateway.get('/merchant-balance'),
  'GET /bank-shortnames': (gateway) => gateway.get('/bank-shortnames'),
  'POST /disbursements/name-lookup': (gateway) => lookUp(gateway, 'MOBILE_MONEY'),
  'POST /disbursements/bank': (gateway) => gateway.payToBank(),
  'POST /disbursements/mobile-money': (gateway) => gateway.payToPhone(),
};

const OBSERVERS: Readonly<Record<string, Observe>> = {
  'repeated key': async (gateway, sandbox) => {
    const first = await gateway.payToBank({}, { key: 'one' });
    const again = await gateway.payToBank({}, { key: 'one' });
    expect(sandbox.balance().locked_balance).toBe(20_500);
    return accepts(again) && isSame(first, again) ? 'first answer' : codeOf(again);
  },
  'repeated key, other body': async (gateway) => {
    const first = await gateway.collect({}, { key: 'one' });
    const other = await gateway.collect({ reference: 'order-2' }, { key: 'one' });
    if (!accepts(other)) return codeOf(other);
    return isSame(first, other) ? 'first answer' : 'accepted';
  },
  'key of a refusal': async (gateway) => {
    await gateway.payToBank({ bank_code: 'NONE' }, { key: 'one' });
    return accepts(await gateway.payToBank({}, { key: 'one' })) ? 'free' : 'used';
  },
  'repeated reference': async (gateway) => {
    await gateway.collect();
    const again = await gateway.collect();
    if (accepts(again)) return 'accepted';
    return hasMessage(again, 'reference') ? 'errors.reference' : codeOf(again);
  },
  'reference of the other family': async (gateway) => {
    await gateway.collect();
    const payout = await gateway.payToBank({ reference: 'order-1' });
    return accepts(payout) ? 'free' : codeOf(payout) === 'DUPLICATE_REFERENCE' && 'used';
  },
  bearer: async (_, sandbox) => {
    const headers = { authorization: 'Bearer pk_test_demo' };
    const { status } = await fetch(`${sandbox.baseUrl}/merchant-balance`, { headers });
    return status === 200 ? 'accepted' : status === 401 && 'refused';
  },
  'amount as text': async (gateway) => acceptance(await gateway.collect({ amount: '15000.00' }), 'amount'),
  'three decimals': async (gateway) => {
    const answer = await gateway.collect({ amount: 10.125 });
    if (!accepts(answer)) return hasMessage(answer, 'amount') && 'refused';
    const amounts: Readonly<Record<string, string>> = { '10.13': 'rounded', '10.12': 'cut' };
    return amounts[String(dataOf(answer)['amount'])];
  },
  'smallest amount': async (gateway, _, cents: number) => {
    const below = await gateway.collect({ amount: (cents - 1) / 100 });
    expect(hasMessage(below, 'amount')).toBe(true);
    expect(accepts(await gateway.collect({ amount: cents / 100 }))).toBe(true);
    return cents;
  },
  'longest reference': async (gateway, _, longest: number) => {
    const [fits, isLong] = ['r'.repeat(longest), 'r'.repeat(longest + 1)];
    for (const pay of [gateway.collect, gateway.payToBank]) {
      expect(hasMessage(await pay({ reference: isLong }), 'reference')).toBe(true);
      expect(accepts(await pay({ reference: fits }))).toBe(true);
    }
    return longest;
  },
  'case of bank codes': async (gateway) => {
    const payout = await gateway.payToBank({ bank_code: 'bsb' });
    const found = await gateway.lookUp({ channel: 'BANK', account_number: '0123456789', bank_code: 'bsb' });
    expect(accepts(found)).toBe(accepts(payout));
    return accepts(payout) ? dataOf(payout)['bank_code'] === 'bsb' && 'any' : 'exact';
  },
  'long bank codes': async (gateway) =>
    accepts(await gateway.payToBank({ bank_code: 'BAOBAB_SAVINGS' })) ? 'accepted' : 'refused',
  ...Object.fromEntries(
    ['MOBILE_MONEY', 'BANK', 'PARTNERPESA'].map((channel): [string, Observe] => [
      `lookup of ${channel}`,
      async (gateway) => {
        const answer = await lookUp(gateway, channel);
        return accepts(answer) ? 'answered' : codeOf(answer) === 'INVALID_CHANNEL' && 'refused';
      },
    ]),
  ),
  'rate limit headers': async (gateway) => {
    const both = [await gateway.get('/bank-shortnames'), await gateway.payToBank({ bank_code: 'NONE' })];
    const kinds = both.map(({ headers }) => {
      const names = [...headers.keys()].filter((name) => name.includes('ratelimit-'));
      if (names.length === 0) return 'none';
      expect(names).toHaveLength(3);
      return names[0]?.startsWith('x-') ? 'x-ratelimit' : 'ratelimit';
    });
    expect(new Set(kinds).size).toBe(1);
    return kinds[0];
  },
  'webhook answers': async (_, sandbox) => {
    const [delivery] = await deliveredWith(sandbox, 204);
    return delivery?.state === 'delivered' ? '2xx' : delivery?.state === 'waiting' && '200';
  },
  'first redelivery': async (_, sandbox, seconds: number) => {
    const [delivery] = await deliveredWith(sandbox, 500);
    return (
      (Date.parse(delivery?.next_attempt_at ?? '') - Date.parse(delivery?.attempts[0]?.at ?? '')) / 1_000 ===
        seconds && seconds
    );
  },
  'status of wrong fields': async (gateway) => {
    const answer = await gateway.collect({ phone: '1' });
    expect(hasMessage(answer, 'phone')).toBe(true);
    return answer.status;
  },
  ...Object.fromEntries(
    Object.entries(SUCCEEDED).map(([operation, ask]): [string, Observe] => [
      `success of ${operation}`,
      async (gateway) => {
        const answer = await ask(gateway);
        expect(accepts(answer)).toBe(true);
        return answer.status;
      },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(REFUSED).flatMap(([code, ask]): [string, Observe][] => [
      [
        `status of ${code}`,
        async (gateway) => {
          const answer = await ask(gateway);
          expect(codeOf(answer)).toBe(code);
          return answer.status;
        },
      ],
      [
        `shape of ${code}`,
        async (gateway) => {
          const { body } = await ask(gateway);
          const { code: _, message: __, ...shape } = body;
          return { '{"status":"error"}': 'A', '{"success":false}': 'B' }[JSON.stringify(shape)];
        },
      ],
    ]),
  ),
};

const ROWS = Object.entries(FACTS).flatMap(([name, { values }]) =>
  [...new Set<string | number>(values)].map((value) => ({ name, value })),
);

describe('an emulator that is told a fact', () => {
  it('is asked about every fact of the table', () => {
    expect(Object.keys(OBSERVERS).sort()).toEqual(Object.keys(FACTS).sort());
  });

  it.each(ROWS)('shows over HTTP that $name is $value', async ({ name, value }) => {
    const sandbox = await startWith({ [name]: value });
    expect(await OBSERVERS[name]?.(callerOf(sandbox), sandbox, value as never)).toBe(value);
    await sandbox.stop();
  });

  it('does without a profile what the first value of each fact says', async () => {
    for (const [name, { values }] of Object.entries(FACTS)) {
      const sandbox = await startSandbox({ clock: 'manual' });
      expect(await OBSERVERS[name]?.(callerOf(sandbox), sandbox, values[0] as never)).toBe(values[0]);
      await sandbox.stop();
    }
  });
});

describe('an emulator with a profile', () => {
  it('gives the first answer again after a restart and after an import', async () => {
    const facts: GatewayFacts = { 'repeated key': 'first answer', 'key of a refusal': 'used' };
    const data = mkdtempSync(join(tmpdir(), 'facts-'));
    const before = await startWith(facts, { data });
    const first = await callerOf(before).collect({}, { key: 'one' });
    const refused = await callerOf(before).payToBank({ bank_code: 'NONE' }, { key: 'two' });
    const state = before.export();
    await before.stop();
    const restarted = await startWith(facts, { data });
    const imported = await startWith(facts);
    await imported.import(state);
    for (const sandbox of [restarted, imported]) {
      const gateway = callerOf(sandbox);
      expect((await gateway.collect({}, { key: 'one' })).body).toEqual(first.body);
      expect((await gateway.payToBank({ bank_code: 'NONE' }, { key: 'two' })).body).toEqual(refused.body);
      expect(sandbox.payments()).toHaveLength(1);
    }
  });

  it('explains the balance after a second payment took the reference of the first', async () => {
    const sandbox = await startWith({ 'repeated reference': 'accepted' });
    for (const amount of [15_000, 20_000]) {
      await callerOf(sandbox).collect({ amount });
      await sandbox.customer(COLLECTION.phone).approve('order-1');
      await sandbox.clock.advance('1m');
    }
    expect(sandbox.payments().map(({ amount }) => amount)).toEqual(['20000.00']);
    expect(sandbox.balance().available_balance).toBe(1_034_300);
    expect(sandbox.statement()).toMatch(
      /Adjustment,,,14700\.00,[^]*Collection,order-1,\w+,20000\.00,400\.00/,
    );
  });

  it('signs webhooks as the gateway that was observed, unless a scheme is given', async () => {
    const webhooks = {
      scheme: 'hmac',
      header: 'x-their-signature',
      algorithm: 'sha512',
      encoding: 'base64',
      prefix: 'v1=',
      payload: ['timestamp', { literal: '.' }, 'body'],
      timestamp: { header: 'x-their-time', unit: 's' },
    } as const;
    const receiver = await startReceiver();
    const sandbox = await startSandbox({ profile: { ...profileWith({}), webhooks } });
    sandbox.deliverTo(receiver.url);
    await callerOf(sandbox).collect();
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    const [delivery] = receiver.received;
    expect(delivery?.headers['x-their-signature']).toMatch(/^v1=[\w+/]{86}==$/);
    expect(delivery?.headers['x-their-time']).toMatch(/^\d{10}$/);
    const { scheme } = sandbox.moduleOptions().webhooks as { readonly scheme: object };
    const own = await startSandbox({
      profile: { ...profileWith({}), webhooks },
      webhookScheme: scheme as never,
    });
    expect((own.moduleOptions().webhooks as { readonly scheme: object }).scheme).toBe(scheme);
    await receiver.close();
  });

  it('says in its state that the gateway was observed', async () => {
    const sandbox = await startWith({});
    const response = await fetch(`${sandbox.url}/_sandbox/v1/info`);
    expect(await response.json()).toMatchObject({ profile: 'observed' });
  });

  it('refuses a profile that is wrong, with the field and what may stand there', async () => {
    const profile = profileWith({ bearer: 'acepted' } as never);
    await expect(startSandbox({ profile })).rejects.toThrow(
      `Sandbox option profile: facts["bearer"] must be one of "accepted", "refused". Did you mean 'accepted'?`,
    );
  });

  it.each(Array.from({ length: 40 }, (_, seed) => seed))(
    'keeps its books whatever the gateway does (seed %i)',
    async (seed) => {
      const sandbox = await startSandbox({ clock: 'manual', profile: randomProfile(seed) });
      const gateway = callerOf(sandbox);
      for (const ask of [...Object.values(REFUSED), ...Object.values(SUCCEEDED)])
        expect((await ask(gateway)).status).toBeLessThan(502);
      await gateway.payToPhone(MOBILE_PAYOUT);
      await gateway.payToBank(BANK_PAYOUT);
      const locked = sandbox.payouts().reduce((sum, { total_amount: total }) => sum + Number(total), 0);
      expect(sandbox.balance().locked_balance).toBe(locked);
      await sandbox.stop();
    },
  );
});

function startWith(facts: GatewayFacts, options: { readonly data?: string } = {}): Promise<PaymentsSandbox> {
  return startSandbox({ clock: 'manual', profile: profileWith(facts), ...options });
}

async function deliveredWith(sandbox: PaymentsSandbox, status: number) {
  const receiver = await startReceiver();
  receiver.answerWith(status);
  sandbox.deliverTo(receiver.url);
  await callerOf(sandbox).collect();
  await sandbox.customer(COLLECTION.phone).approve('order-1');
  await receiver.close();
  return sandbox.deliveries();
}

async function twice(ask: () => Promise<RawAnswer>): Promise<RawAnswer> {
  await ask();
  return ask();
}

function lookUp(gateway: Caller, channel: string): Promise<RawAnswer> {
  return gateway.lookUp({
    channel,
    account_number: channel === 'BANK' ? '0123456789' : '255712345678',
    ...(channel === 'BANK' && { bank_code: 'BSB' }),
  });
}

function accepts({ body }: RawAnswer): boolean {
  return body['status'] === 'success';
}

function codeOf({ body }: RawAnswer): unknown {
  return body['code'];
}

function dataOf({ body }: RawAnswer): Readonly<Record<string, unknown>> {
  return body['data'] as Readonly<Record<string, unknown>>;
}

function isSame(one: RawAnswer, other: RawAnswer): boolean {
  return JSON.stringify(one.body) === JSON.stringify(other.body);
}

function hasMessage({ body }: RawAnswer, field: string): boolean {
  return Object.hasOwn(body['errors'] ?? {}, field);
}

function acceptance(answer: RawAnswer, field: string): unknown {
  return accepts(answer) ? 'accepted' : hasMessage(answer, field) && 'refused';
}
