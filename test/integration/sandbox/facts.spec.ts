import { describe, expect, it } from 'vitest';
import { type WebhookScheme } from 'nestjs-payments';
import { type GatewayFacts, type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { type Caller, lookUp, REFUSED, SUCCEEDED } from '../../support/gateway-asks.js';
import { callerOf, COLLECTION, type RawAnswer } from '../../support/gateway-caller.js';
import { FACTS, profileWith } from '../../support/gateway-profiles.js';
import { startSandbox } from '../../support/sandbox.js';
import { startReceiver } from '../../support/webhook-receiver.js';

/** Finds out over HTTP which value a fact has. The expected value is told where a single call cannot show it. */
type Observe = (gateway: Caller, sandbox: PaymentsSandbox, expected: never) => Promise<unknown>;

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
  'key after an hour': async (gateway, sandbox) => {
    const seen: unknown[] = [];
    await gateway.collect({}, { key: 'one' });
    for (const wait of [0, 3_599_999, 1]) {
      await sandbox.clock.advance(wait);
      const again = await gateway.collect({ reference: 'order-2' }, { key: 'one' });
      seen.push(accepts(again) ? 'accepted' : codeOf(again));
    }
    expect(seen.slice(0, 2)).toEqual(['DUPLICATE_REQUEST', 'DUPLICATE_REQUEST']);
    return seen[2] === 'accepted' ? 'forgotten' : seen[2] === 'DUPLICATE_REQUEST' && 'remembered';
  },
  'repeated reference': async (gateway) => {
    await gateway.collect();
    const again = await gateway.collect();
    if (accepts(again)) return 'accepted';
    return hasMessage(again, 'reference') ? 'errors.reference' : codeOf(again);
  },
  'repeated reference of a payout': async (gateway) => {
    await gateway.payToBank();
    return codeOf(await gateway.payToBank());
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
  'longest metadata': async (gateway, _, longest: number) => {
    const of = (bytes: number) => ({ metadata: { a: 'x'.repeat(bytes - '{"a":""}'.length) } });
    const isNoLimit = longest === 16_384;
    for (const pay of [gateway.collect, gateway.payToBank]) {
      const long = await pay(of(longest + 1));
      expect(isNoLimit ? accepts(long) : hasMessage(long, 'metadata')).toBe(true);
      expect(accepts(await pay({ reference: 'order-2', ...of(longest) }))).toBe(true);
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
  'repeated webhook': async (_, sandbox) => {
    const receiver = await startReceiver();
    receiver.answerWith(500);
    sandbox.deliverTo(receiver.url);
    await callerOf(sandbox).collect();
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    await sandbox.clock.advance('10m');
    await receiver.close();
    const signatures = new Set(receiver.received.map(({ headers }) => headers['x-signed']));
    expect(receiver.received.length).toBeGreaterThan(2);
    if (signatures.size === 1) return 'as before';
    return signatures.size === receiver.received.length && 'signed again';
  },
  'wrong fields of a collection': async (gateway) => {
    const answer = await gateway.collect({ currency: 'USD', phone: '1' });
    if (hasMessage(answer, 'currency')) return hasMessage(answer, 'phone') && 'errors';
    expect(answer).toMatchObject({ status: 400, body: { status: 'error' } });
    expect(answer.body['message']).toMatch(
      /^The .*phone.* The .*currency.*\.$|^The .*currency.* The .*phone.*\.$/,
    );
    // Of the others, one message is shown by field, and payouts have no such code.
    const push = (fields: object) => gateway.post('/payments/partnerpesa', { ...COLLECTION, ...fields });
    expect(hasMessage(await push({ phone: '1' }), 'phone')).toBe(true);
    expect(hasMessage(await gateway.payToBank({ currency: 'USD' }), 'currency')).toBe(true);
    expect(codeOf(await push({ currency: 'USD' }))).toBe('INVALID_REQUEST');
    return codeOf(answer);
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
      const sandbox = await startSandbox({ clock: 'manual', webhookScheme: counting() });
      expect(await OBSERVERS[name]?.(callerOf(sandbox), sandbox, values[0] as never)).toBe(values[0]);
      await sandbox.stop();
    }
  });
});

function startWith(facts: GatewayFacts): Promise<PaymentsSandbox> {
  return startSandbox({ clock: 'manual', webhookScheme: counting(), profile: profileWith(facts) });
}

/** Every signature is a new one. */
function counting(): WebhookScheme {
  let signed = 0;
  return {
    name: 'counting',
    verify: () => ({ ok: false, reason: 'it only signs' }),
    sign: () => ({ 'x-signed': String((signed += 1)) }),
  };
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
