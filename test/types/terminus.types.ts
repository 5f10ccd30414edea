// The health of payments, for Terminus.
import { type HealthIndicatorResult } from '@nestjs/terminus';
import { type OldestUnresolved, type PaymentsJournal } from 'nestjs-payments';
import { PaymentsHealthIndicator, type PaymentsHealthOptions } from 'nestjs-payments/terminus';
import { type Equal, type Expect } from './expect.js';

export type Checks = [
  Expect<Equal<PaymentsHealthOptions['maxUnresolvedAgeMs'], number | undefined>>,
  Expect<Equal<ReturnType<PaymentsJournal['oldestUnresolved']>, Promise<OldestUnresolved | undefined>>>,
];

export async function examine(
  indicator: PaymentsHealthIndicator,
): Promise<HealthIndicatorResult<'payments'>> {
  await indicator.isHealthy('payouts', { account: 'payouts', gateway: false, maxUnresolvedAgeMs: 3_600_000 });
  return indicator.isHealthy('payments');
}

// @ts-expect-error -- Terminus reports it under a name
void new PaymentsHealthIndicator(...([] as never)).isHealthy();
// @ts-expect-error -- a number of milliseconds
export const wrong: PaymentsHealthOptions = { cacheMs: '30s' };
