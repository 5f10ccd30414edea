import { type SandboxClock } from '../clock/sandbox-clock.js';
import { timestamp } from '../clock/timestamp.js';
import { type Gateway } from '../core/gateway.js';
import { type ReplacedPayment } from '../core/replaced-payment.js';
import { DEFAULT_MERCHANT } from '../core/merchant.js';
import { type EndpointRegistry } from '../webhooks/endpoint-registry.js';
import { type WebhookDeliverer } from '../webhooks/webhook-deliverer.js';
import { sandboxDelivery, sandboxPayment, sandboxPayout } from './record-mappers.js';
import {
  type SandboxDelivery,
  type SandboxInfo,
  type SandboxPayment,
  type SandboxPayout,
} from './records.js';

/** Lists the emulator's records for the handle and the control API. */
export class SandboxView {
  /** Set when the server listens. */
  baseUrl = '';

  constructor(
    private readonly gateway: Gateway,
    private readonly deliverer: WebhookDeliverer,
    private readonly endpoints: EndpointRegistry,
    private readonly clock: SandboxClock,
    private readonly facts: Pick<SandboxInfo, 'seed' | 'auto' | 'profile'>,
  ) {}

  info(): SandboxInfo {
    return {
      base_url: this.baseUrl,
      api_key: `pk_test_${DEFAULT_MERCHANT}`,
      api_secret: `sk_test_${DEFAULT_MERCHANT}`,
      webhook_url: this.endpoints.get('default')?.url.href ?? null,
      clock: this.clock.kind,
      now: timestamp(this.clock.now()),
      ...this.facts,
      merchants: this.gateway.merchants.map(({ name }) => name),
    };
  }

  payments(): readonly SandboxPayment[] {
    return this.gateway.merchants.flatMap(({ collections }) => [...collections.values()].map(sandboxPayment));
  }

  replacedPayments(): readonly ReplacedPayment[] {
    return this.gateway.merchants.flatMap(({ name, adjustments }) =>
      adjustments.flatMap(({ reference }) => (reference === undefined ? [] : { merchant: name, reference })),
    );
  }

  payouts(): readonly SandboxPayout[] {
    return this.gateway.merchants.flatMap(({ payouts }) => [...payouts.values()].map(sandboxPayout));
  }

  deliveries(): readonly SandboxDelivery[] {
    return this.deliverer.list().map(sandboxDelivery);
  }
}
