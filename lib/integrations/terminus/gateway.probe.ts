import { performance } from 'node:perf_hooks';
import { type CallOptions } from '../../gateway/call-options.js';
import { type GatewayHealth, type GatewaySign, judgeGateway, signOf } from './gateway-health.js';
import { type ResolvedHealthOptions } from './payments-health-options.js';

/** Asks the gateway of one account, and remembers for a while what it showed. */
export class GatewayProbe {
  private known: GatewayHealth | undefined;
  private askedAt = -Infinity;
  private asking: Promise<GatewayHealth> | undefined;

  constructor(
    private readonly readBalance: (options: CallOptions) => Promise<unknown>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Never rejects. Those who ask at the same time share one answer. */
  check({
    cacheMs,
    timeoutMs,
  }: Pick<ResolvedHealthOptions, 'cacheMs' | 'timeoutMs'>): Promise<GatewayHealth> {
    if (this.known && this.now() - this.askedAt < cacheMs) return Promise.resolve(this.known);
    this.asking ??= this.ask(timeoutMs).finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  private async ask(timeoutMs: number): Promise<GatewayHealth> {
    const sign = await this.readBalance({ timeoutMs, deadlineMs: timeoutMs }).then(
      (): GatewaySign => ({ sign: 'accepted' }),
      signOf,
    );
    this.known = judgeGateway(this.known, sign);
    this.askedAt = this.now();
    return this.known;
  }
}
