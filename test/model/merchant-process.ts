import { type PaymentsStorage, type PaymentWebhookEvent, PaymentsJournal } from 'nestjs-payments';
import { startMerchantApp, type MerchantApp } from '../support/merchant-app.js';
import { type Kind } from './coverage.js';
import { GatewayAddress, type LedgerGateway } from './gateway.js';
import { intercept } from './interceptors.js';
import { type Interceptor, type Plan, type StoreTrouble } from './plan.js';
import { TroubledStorage } from './troubled-storage.js';

const SHORT = { afterAnswerMs: 1, afterSilenceMs: 1 };

/** How long an attempt may take: long enough for a busy machine, on which only planned silence may be silent. */
const TIMEOUT_MS = 1_000;
export const DEADLINE_MS = 60_000;

const ACTS: Readonly<Partial<Record<Interceptor, Kind>>> = {
  'sends again': 'an interceptor sends again',
  'sends elsewhere': 'an interceptor sends elsewhere',
  'another key': 'an interceptor changes the key',
  throws: 'an interceptor throws',
};

let processes = 0;

/** One run of the merchant's application. It may die at any moment; its storage stays. */
export class MerchantProcess {
  /** Resolves when it has died. */
  readonly death: Promise<'died'>;
  private dead = false;
  private tellDeath: () => void = () => {};

  private constructor(
    readonly id: number,
    private readonly app: MerchantApp,
    private readonly troubled: TroubledStorage,
    private readonly address: GatewayAddress,
    /** Resolves once nothing is under way that the package does not see. */
    private readonly elsewhereEnded: () => Promise<void>,
    life: { onCrash: () => void },
  ) {
    this.death = new Promise((resolve) => {
      this.tellDeath = () => {
        resolve('died');
      };
    });
    life.onCrash = () => {
      this.die();
    };
  }

  /** @param reach Hears what the process reaches. */
  static async start(
    storage: PaymentsStorage,
    gateway: LedgerGateway,
    plan: Plan,
    reach: (kind: Kind) => void,
  ): Promise<MerchantProcess> {
    const id = (processes += 1);
    const life = { onCrash: (): void => {} };
    const troubled = new TroubledStorage(atOneAddress(storage), {
      onCrash: () => {
        life.onCrash();
      },
      onPartition: () => {
        reach('a partition');
      },
    });
    const address = await GatewayAddress.open((request, response) => gateway.handle(request, response, id));
    const { collections, disbursements } = plan.probe;
    const app = await startMerchantApp({
      baseUrl: address.baseUrl,
      storage: troubled.storage,
      timeoutMs: TIMEOUT_MS,
      deadlineMs: DEADLINE_MS,
      probe: { collections: collections && SHORT, disbursements: disbursements && SHORT },
      ...(plan.asksForStatus && {
        statusPaths: { collection: '/payments/{reference}', disbursement: '/disbursements/{reference}' },
      }),
    });
    let elsewhereEnded = (): Promise<void> => Promise.resolve();
    // Only who reaches for the client is sent through it.
    if (plan.interceptor !== 'none') {
      const kind = ACTS[plan.interceptor];
      elsewhereEnded = intercept(app.http.axiosRef, plan.interceptor, () => {
        if (kind) reach(kind);
      });
    }
    return new MerchantProcess(id, app, troubled, address, elsewhereEnded, life);
  }

  get collections(): MerchantApp['collections'] {
    return this.app.collections;
  }

  get disbursements(): MerchantApp['disbursements'] {
    return this.app.disbursements;
  }

  get journal(): PaymentsJournal {
    return this.app.get(PaymentsJournal);
  }

  get heard(): readonly PaymentWebhookEvent[] {
    return this.app.heard;
  }

  get listener(): MerchantApp['listener'] {
    return this.app.listener;
  }

  get isDead(): boolean {
    return this.dead;
  }

  get isCutOff(): boolean {
    return this.troubled.isCutOff;
  }

  plan(trouble: StoreTrouble | undefined): void {
    this.troubled.plan(trouble);
  }

  letLateWritesArrive(): Promise<number> {
    return this.troubled.letLateWritesArrive();
  }

  /** Nobody listens at the gateway's address while this is done. */
  async withoutGateway<T>(work: () => Promise<T>): Promise<T> {
    await this.address.close();
    try {
      return await work();
    } finally {
      // On a slow machine a call may end sooner. What came late would be a payment that nobody has asked for.
      await this.elsewhereEnded();
      await this.address.reopen();
    }
  }

  die(): void {
    this.dead = true;
    this.troubled.kill();
    this.tellDeath();
  }

  async close(): Promise<void> {
    this.die();
    await this.app.close();
    await this.address.close();
    // Another process gets the port.
    await this.elsewhereEnded();
    await this.troubled.idle();
  }
}

/**
 * Each process reaches the gateway at a port of its own, at which nobody may listen for a while. They all mean the same gateway,
 * so none writes its address down: what was sent to another address is not probed.
 */
function atOneAddress(storage: PaymentsStorage): PaymentsStorage {
  const journal = new Proxy(storage.journal, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => Reflect.apply(method, target, args.map(withoutAddress)) as unknown;
    },
  });
  return { ...storage, journal };
}

function withoutAddress(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('baseUrl' in value)) return value;
  const { baseUrl: _baseUrl, ...rest } = value;
  return rest;
}
