import { type Random } from '../../support/random.js';
import { type Answered, type Shown } from './answered.js';

interface Page {
  readonly items: readonly Record<string, unknown>[];
  readonly next?: string | null;
}

/** Makes random changes and notes those that were answered. */
export class Client {
  private made = 0;
  private readonly waiting = new Set<() => void>();

  constructor(
    private readonly random: Random,
    private readonly answered: Answered,
    private readonly receiver: string,
  ) {}

  /** Changes the emulator until a call fails. */
  async run(url: string): Promise<void> {
    for (;;) {
      try {
        const before = this.answered.count;
        await this.change(url);
        if (this.answered.count > before) for (const hear of this.waiting) hear();
      } catch (error) {
        if (error instanceof Unexpected) throw error;
        return;
      }
    }
  }

  /** Resolves when so many more changes were answered. */
  changed(times: number): Promise<void> {
    return new Promise((resolve) => {
      let left = times;
      const hear = (): void => {
        left -= 1;
        if (left > 0) return;
        this.waiting.delete(hear);
        resolve();
      };
      this.waiting.add(hear);
    });
  }

  /** Says again what was answered: the emulator has to refuse the key. */
  async repeat(url: string): Promise<readonly string[]> {
    const keys = [...this.answered.payments];
    if (keys.length === 0) return [];
    const [reference, key] = this.random.pick(keys);
    const { body } = await this.collect(url, `${reference}-again`, key);
    return body['code'] === 'DUPLICATE_REQUEST' ? [] : [`the key of ${reference} was forgotten`];
  }

  async look(url: string, secret: string): Promise<Shown> {
    const [payments, payouts, endpoints, deliveries, balance, clock] = await Promise.all([
      list(url, '/payments'),
      list(url, '/payouts'),
      list(url, '/webhooks/endpoints'),
      list(url, '/deliveries'),
      call(url, 'GET', '/api/v1/merchant-balance'),
      call(url, 'GET', '/_sandbox/v1/clock'),
    ]);
    return {
      payments,
      payouts,
      endpoints,
      deliveries,
      balance: balance.body['data'],
      now: clock.body['now'],
      secret,
    } as unknown as Shown;
  }

  private async change(url: string): Promise<void> {
    const { answered, random } = this;
    const name = `${random.below(2 ** 31)}-${(this.made += 1)}`;
    const open = [...answered.payments.keys()].filter((reference) => !answered.approved.has(reference));
    const processing = [...answered.payouts.keys()].filter((reference) => !answered.paid.has(reference));
    const kind = random.below(10);
    if (kind < 4) {
      const { status } = await this.collect(url, name, `key-${name}`);
      if (status === 200) answered.payments.set(name, `key-${name}`);
    } else if (kind < 6 && open.length > 0) {
      const reference = random.pick(open);
      const { status } = await control(url, `/payments/${reference}/approve`);
      if (status === 200) answered.approved.add(reference);
    } else if (kind < 7) {
      const { status } = await this.payOut(url, name);
      if (status === 200) answered.payouts.set(name, `key-${name}`);
    } else if (kind < 8 && processing.length > 0) {
      const reference = random.pick(processing);
      const { status } = await control(url, `/payouts/${reference}/pay`);
      if (status === 200) answered.paid.add(reference);
    } else if (kind < 9) {
      const { body } = await control(url, '/clock/advance', { by: '1s' });
      answered.now = Math.max(answered.now, Date.parse(String(body['now'])) || 0);
    } else if (random.chance(0.1)) {
      const { status, body } = await control(url, '/webhooks/endpoints', {
        url: this.receiver,
        merchant: 'other',
      });
      if (status === 201) answered.endpoints.add(String(body['id']));
    }
  }

  private collect(url: string, reference: string, key: string) {
    return call(
      url,
      'POST',
      '/api/v1/payments/mobile-money',
      {
        amount: 1_000 + this.random.below(9_000),
        currency: 'TZS',
        reference,
        phone: '255712345678',
        customer_name: 'Asha Juma',
        customer_email: 'asha@example.com',
      },
      key,
    );
  }

  private payOut(url: string, reference: string) {
    return call(
      url,
      'POST',
      '/api/v1/disbursements/mobile-money',
      {
        reference,
        recipient_phone: '255712345678',
        recipient_name: 'Asha Juma',
        amount: 100 + this.random.below(900),
        currency: 'TZS',
        network: 'NET_ONE',
        remarks: 'Refund',
      },
      `key-${reference}`,
    );
  }
}

/** An answer that no kill explains. */
export class Unexpected extends Error {}

function control(url: string, path: string, body: object = {}) {
  return call(url, 'POST', `/_sandbox/v1${path}`, body);
}

async function list(url: string, path: string): Promise<readonly Record<string, unknown>[]> {
  const { status, body } = await call(url, 'GET', `/_sandbox/v1${path}`);
  if (status !== 200) throw new Unexpected(`GET ${path} answered ${status} ${JSON.stringify(body)}`);
  return (body as unknown as Page).items;
}

async function call(url: string, method: string, path: string, body?: object, key = '') {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      'x-api-key': 'pk_test_demo',
      'x-api-secret': 'sk_test_demo',
      ...(key !== '' && { 'idempotency-key': key }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
