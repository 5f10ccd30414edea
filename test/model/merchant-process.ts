import {
  type PaymentsModuleOptions,
  type PaymentsStorage,
  type PaymentWebhookEvent,
  PaymentsJournal,
} from '../../lib/index.js';
import { startMerchantApp, type MerchantApp } from '../support/merchant-app.js';
import { DeathError, MortalStorage, type Doom } from './mortal-storage.js';
import { type Plan } from './plan.js';

const SHORT = { afterAnswerMs: 1, afterSilenceMs: 1 };

/** How long an attempt may take: long enough for a busy machine, short enough for thousands of silent answers. */
const TIMEOUT_MS = 80;

export interface ProcessOptions {
  readonly base: PaymentsModuleOptions;
  readonly baseUrl: string;
  readonly storage: PaymentsStorage;
  readonly probe: Plan['probe'];
  /** Whether the next request finds no connection. */
  readonly refusesNext: () => boolean;
}

/** One run of the merchant's application. It may die at any moment; its storage stays. */
export class MerchantProcess {
  /** Resolves when it has died. */
  readonly death: Promise<'died'>;
  private doom: Doom = {};
  private requests = 0;
  private dead = false;

  private constructor(
    private readonly app: MerchantApp,
    private readonly mortal: MortalStorage,
    death: Promise<'died'>,
    private readonly tellDeath: () => void,
  ) {
    this.death = death;
  }

  static async start({
    base,
    baseUrl,
    storage,
    probe,
    refusesNext,
  }: ProcessOptions): Promise<MerchantProcess> {
    let tellDeath = (): void => {};
    const death = new Promise<'died'>((resolve) => {
      tellDeath = () => {
        resolve('died');
      };
    });
    const mortal = new MortalStorage(storage, () => {
      process.die();
    });
    const app = await startMerchantApp({
      ...base,
      baseUrl,
      storage: mortal.storage,
      timeoutMs: TIMEOUT_MS,
      probe: {
        collections: probe.collections && SHORT,
        disbursements: probe.disbursements && SHORT,
      },
    });
    const process: MerchantProcess = new MerchantProcess(app, mortal, death, tellDeath);
    app.http.axiosRef.interceptors.request.use((config) => {
      if (process.dead) throw new DeathError();
      // Nobody listens at port 1.
      if (refusesNext()) config.url = 'http://127.0.0.1:1/';
      return config;
    });
    return process;
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

  get isDead(): boolean {
    return this.dead;
  }

  /** Answers the gateway's webhooks; a dead process answers nobody. */
  readonly listener: MerchantApp['listener'] = (request, response) => {
    if (this.dead) request.socket.destroy();
    else this.app.listener(request, response);
  };

  plan(doom: Doom): void {
    this.doom = doom;
    this.requests = 0;
    this.mortal.plan(doom);
  }

  /** One of its requests is on the way. False: it died before the request was sent whole. */
  requestArrived(): boolean {
    if (this.dead) return false;
    this.requests += 1;
    if (this.isDoomed('before')) this.die();
    return !this.dead;
  }

  requestProcessed(): void {
    if (this.isDoomed('after')) this.die();
  }

  die(): void {
    this.dead = true;
    this.mortal.kill();
    this.tellDeath();
  }

  close(): Promise<void> {
    return this.app.close();
  }

  private isDoomed(side: 'before' | 'after'): boolean {
    const { death } = this.doom;
    return death?.at === 'request' && death.side === side && death.nth === this.requests;
  }
}
