import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { SandboxClock } from '../../../../lib/sandbox/clock/sandbox-clock.js';
import { EventBus } from '../../../../lib/sandbox/core/event-bus.js';
import { Gateway } from '../../../../lib/sandbox/core/gateway.js';
import { type GatewayAnswer } from '../../../../lib/sandbox/core/gateway-answer.js';
import { documentedProfile } from '../../../../lib/sandbox/profile/profile.js';
import { idsByMerchant } from '../../../../lib/sandbox/core/id-source.js';
import { NameDirectory } from '../../../../lib/sandbox/core/name-directory.js';
import { type SandboxOperation } from '../../../../lib/sandbox/core/operation-name.js';
import { type OutgoingEvent } from '../../../../lib/sandbox/core/webhook-event.js';
import { chooseRule } from '../../../../lib/sandbox/scenarios/choose-rule.js';
import { scenariosOf } from '../../../../lib/sandbox/scenarios/scenario-table.js';
import { BANK_PAYOUT, COLLECTION, MOBILE_PAYOUT } from '../../../support/gateway-caller.js';

const START_CENTS = 10_000_00n;
const FEE_CENTS = 5_00n;
const FINAL = ['success', 'failed', 'cancelled', 'expired'];

type Command =
  | {
      readonly type: 'collect';
      readonly ending: string | undefined;
      readonly reference: string;
      readonly key: string;
      readonly cents: number;
    }
  | {
      readonly type: 'pay';
      readonly ending: string | undefined;
      readonly mobile: boolean;
      readonly reference: string;
      readonly key: string;
      readonly cents: number;
    }
  | {
      readonly type: 'decide';
      readonly reference: string;
      readonly outcome: 'success' | 'failed' | 'cancelled' | 'expired';
    }
  | { readonly type: 'settle'; readonly reference: string; readonly outcome: 'paid' | 'failed' | 'cancelled' }
  | { readonly type: 'wait'; readonly ms: number };

const reference = fc.constantFrom('a', 'b', 'c', 'd');
const key = fc.constantFrom('k1', 'k2', 'k3', 'k4', 'k5', 'k6');
const cents = fc.integer({ min: 1, max: 6_000_00 });
/** Some scenario of the operation, more often none. */
const endingOf = (operation: SandboxOperation) =>
  fc.option(fc.constantFrom(...scenariosOf(operation).map(({ ending }) => ending)), {
    nil: undefined,
    freq: 1,
  });
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    type: fc.constant('collect' as const),
    ending: endingOf('POST /payments/mobile-money'),
    reference,
    key,
    cents,
  }),
  fc.record({
    type: fc.constant('pay' as const),
    ending: endingOf('POST /disbursements/bank'),
    mobile: fc.boolean(),
    reference,
    key,
    cents,
  }),
  fc.record({
    type: fc.constant('decide' as const),
    reference,
    outcome: fc.constantFrom('success', 'failed', 'cancelled', 'expired'),
  }),
  fc.record({
    type: fc.constant('settle' as const),
    reference,
    outcome: fc.constantFrom('paid', 'failed', 'cancelled'),
  }),
  fc.record({ type: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 600_000 }) }),
);

/** The core under test beside the simplest bookkeeping that could be right. */
class World {
  readonly clock = new SandboxClock('manual');
  readonly events: OutgoingEvent[] = [];
  readonly usedKeys = new Set<string>();
  readonly finals = new Map<string, string>();
  readonly gateway = new Gateway({
    settings: {
      startingBalanceCents: START_CENTS,
      fees: { collectionBasisPoints: 200n, payoutCents: FEE_CENTS },
      expireAfterMs: 900_000,
    },
    clock: this.clock,
    idsOf: idsByMerchant(1),
    directory: new NameDirectory(),
    events: new EventBus(),
    profile: documentedProfile(),
    deliver: (event) => {
      this.events.push(event);
      return Promise.resolve();
    },
  });
  readonly merchant = this.gateway.merchant('demo');

  call(operation: SandboxOperation, idempotencyKey: string, body: object, ending: string | undefined): void {
    const rule = chooseRule({ operation, fault: undefined, header: ending, number: undefined, auto: false });
    const fresh = !this.usedKeys.has(idempotencyKey);
    const credentials = { apiKey: 'pk_test_demo', apiSecret: 'sk_test_demo', authorization: undefined };
    const answer = this.gateway.handle({
      operation,
      parameters: {},
      credentials,
      idempotencyKey,
      body,
      rule,
    });
    expect(answer.body['code'] === 'DUPLICATE_REQUEST').toBe(!fresh);
    if (accepted(answer)) this.usedKeys.add(idempotencyKey);
  }

  async run(step: Command): Promise<void> {
    switch (step.type) {
      case 'collect':
        this.call(
          'POST /payments/mobile-money',
          step.key,
          {
            ...COLLECTION,
            reference: step.reference,
            amount: step.cents / 100,
          },
          step.ending,
        );
        return;
      case 'pay': {
        const payout = step.mobile ? MOBILE_PAYOUT : BANK_PAYOUT;
        const operation = step.mobile ? 'POST /disbursements/mobile-money' : 'POST /disbursements/bank';
        this.call(
          operation,
          step.key,
          { ...payout, reference: step.reference, amount: step.cents / 100 },
          step.ending,
        );
        return;
      }
      case 'decide': {
        const payment = this.merchant.collections.get(step.reference);
        if (payment) await this.gateway.collections.settle(this.merchant, payment, step.outcome);
        return;
      }
      case 'settle': {
        const payout = this.merchant.payouts.get(step.reference);
        if (payout) this.gateway.payouts.settle(this.merchant, payout, step.outcome);
        return;
      }
      case 'wait':
        await this.clock.advance(step.ms);
    }
  }

  check(): void {
    this.checkMoney();
    this.checkFinality();
    this.checkEvents();
  }

  private checkMoney(): void {
    const { wallet, collections, payouts } = this.merchant;
    const received = sum(
      [...collections.values()]
        .filter(({ status }) => status === 'success')
        .map((c) => c.amountCents - c.feeCents),
    );
    const totals = (status: string) =>
      sum([...payouts.values()].filter((p) => p.status === status).map((p) => p.amountCents + p.feeCents));
    expect(wallet.balance).toBe(wallet.available + wallet.locked);
    expect(wallet.balance).toBe(START_CENTS + received - totals('paid'));
    expect(wallet.locked).toBe(totals('processing'));
    expect(wallet.available >= 0n).toBe(true);
  }

  private checkFinality(): void {
    const all = [
      ...[...this.merchant.collections].map(([name, { status }]) => [`collection ${name}`, status] as const),
      ...[...this.merchant.payouts].map(([name, { status }]) => [`payout ${name}`, status] as const),
    ];
    for (const [name, status] of all) {
      expect(this.finals.get(name) ?? status).toBe(status);
      if ([...FINAL, 'paid'].includes(status)) this.finals.set(name, status);
    }
  }

  private checkEvents(): void {
    const ended = [...this.merchant.collections.values()]
      .filter(({ status }) => FINAL.includes(status))
      .map(({ request, status }) => `${request.reference} payment.${status}`);
    const told = this.events.map((event) => `${event.reference} ${event.event}`);
    expect(told.sort()).toEqual(ended.sort());
  }
}

describe('the core, whatever happens in whatever order', () => {
  it('keeps the books, final states and one event per final state', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (steps) => {
        const world = new World();
        for (const step of steps) {
          await world.run(step);
          world.check();
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

function accepted({ status }: GatewayAnswer): boolean {
  return status === 200;
}

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}
