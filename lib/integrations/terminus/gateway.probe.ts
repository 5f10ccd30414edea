import { performance } from 'node:perf_hooks';
import { type CallEndEvent } from '../../common/call-diagnostics.js';
import { type CallOptions } from '../../gateway/call-options.js';
import {
  type GatewayHealth,
  type GatewaySign,
  signOf,
  signOfCall,
  strongerSign,
  updateHealth,
} from './gateway-health.js';
import { type ResolvedHealthOptions } from './payments-health-options.js';

/** Checks the gateway of one account, and caches the result. */
export class GatewayProbe {
  private known: GatewayHealth | undefined;
  private askedAt = -Infinity;
  private asking: Promise<GatewayHealth> | undefined;
  /** What the calls of the account show since the last read, for a read that gets no turn. */
  private others: GatewaySign = { sign: 'unclear' };

  constructor(
    private readonly readBalance: (options: CallOptions) => Promise<unknown>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Never rejects. Simultaneous checks share one answer. */
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

  /** Takes note of a call of the account that has ended. */
  callEnded(end: Pick<CallEndEvent, 'outcome' | 'error'>): void {
    this.others = strongerSign(this.others, signOfCall(end));
  }

  private async ask(timeoutMs: number): Promise<GatewayHealth> {
    const sign = await this.readBalance({ timeoutMs, deadlineMs: timeoutMs }).then(
      (): GatewaySign => ({ sign: 'accepted' }),
      (error: unknown) => signOf(error, this.others),
    );
    this.others = { sign: 'unclear' };
    this.known = updateHealth(this.known, sign);
    this.askedAt = this.now();
    return this.known;
  }
}
