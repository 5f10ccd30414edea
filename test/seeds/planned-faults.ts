import { type NextCall, type PlannedFault } from 'nestjs-payments/sandbox';

/** What happens to one call of the day. */
export type DayFault = keyof typeof DAY_FAULTS;

const DAY_FAULTS = {
  nothing: undefined,
  'dropped before': (next) => next.dropBefore(),
  'dropped afterwards': (next) => next.dropAfterProcessing(),
  reset: (next) => next.reset(),
  'half a body': (next) => next.partialBody(),
  'half of the JSON': (next) => next.malformedJson(),
  'a proxy page': (next) => next.html(502),
  'a proxy page afterwards': (next) => next.html(504, { afterProcessing: true }),
  '500 afterwards': (next) => next.status(500, { afterProcessing: true }),
  '503': (next) => next.status(503),
  '429': (next) => next.status(429, { retryAfter: 0 }),
  'a provider error': (next) => next.status(502, { code: 'PROVIDER_ERROR' }),
  silence: (next) => next.hang(),
} as const satisfies Record<string, ((next: NextCall) => PlannedFault) | undefined>;

export const DAY_FAULT_NAMES = Object.keys(DAY_FAULTS) as [DayFault, ...DayFault[]];

export function planFault(fault: DayFault, next: NextCall): void {
  DAY_FAULTS[fault]?.(next);
}
