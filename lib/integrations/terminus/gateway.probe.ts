import { performance } from 'node:perf_hooks';
import { type CallEndEvent } from '../../common/call-diagnostics.js';
import { type CallOptions } from '../../gateway/call-options.js';
import {
  type GatewayHealth,
  type GatewaySign,
  signOf,
  signOfCall,
  signOfSilence,
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
  /** When the gateway last answered a call of the account, as far as the probe knows: at its beginning it knows nothing. */
  private answeredAt: number;

  constructor(
    private readonly readBalance: (options: CallOptions) => Promise<unknown>,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.answeredAt = now();
  }

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

  /** Takes note of a call of the account that has ended, its own reads included. */
  callEnded(end: Pick<CallEndEvent, 'outcome' | 'error'>): void {
    const seen = signOfCall(end);
    if (seen.sign !== 'unclear') this.answeredAt = this.now();
    this.others = strongerSign(this.others, seen);
  }

  private async ask(timeoutMs: number): Promise<GatewayHealth> {
    const sign = await this.readBalance({ timeoutMs, deadlineMs: timeoutMs }).then(
      (): GatewaySign => ({ sign: 'accepted' }),
      (error: unknown) => signOf(error, this.signOfOthers()),
    );
    this.others = { sign: 'unclear' };
    this.known = updateHealth(this.known, sign);
    this.askedAt = this.now();
    return this.known;
  }

  private signOfOthers(): GatewaySign {
    return this.others.sign === 'unclear' ? signOfSilence(this.now() - this.answeredAt) : this.others;
  }
}
