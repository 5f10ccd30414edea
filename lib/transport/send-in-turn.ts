import { performance } from 'node:perf_hooks';
import { type AccountGate, type Turn } from './account-gate.js';
import { type CallTrace } from './call-trace.js';
import { type Carrier, type OutgoingRequest } from './carrier.js';
import { sendAttempt, type AttemptResult } from './send-attempt.js';

/** What sending in turn needs of a call. */
export interface TurnSetup {
  readonly carrier: Carrier;
  readonly request: OutgoingRequest;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** By `performance.now()`. */
  readonly deadline: number;
  /** When a try must have begun that waited for its turn, by `performance.now()`. */
  readonly sendBy: number;
  readonly gate: AccountGate;
  readonly trace: CallTrace;
  /** Called when a try begins to leave; must not throw. */
  readonly onSending?: (() => void) | undefined;
}

/** What came of one try, and how long it took without the wait for its turn. */
export interface TimedResult {
  readonly result: AttemptResult;
  readonly durationMs: number;
}

/** Waits for the account's turn, then sends once. Never rejects. */
export async function sendInTurn(setup: TurnSetup): Promise<TimedResult> {
  const { carrier, request, signal, deadline, sendBy, gate, trace, onSending } = setup;
  const turn = gate.enter(sendBy, signal);
  const granted = turn instanceof Promise ? await trace.waiting('rate', turn) : turn;
  if (granted.turn !== 'go') return { result: unsent(granted), durationMs: 0 };
  const startedAt = performance.now();
  try {
    // This process may have stood still for so long that the journal lets others act on the payment.
    if (startedAt >= deadline) return { result: unsent({ turn: 'late' }), durationMs: 0 };
    const timeoutMs = Math.min(setup.timeoutMs, deadline - startedAt);
    const result = await trace.sending(request, () =>
      sendAttempt(carrier, request, timeoutMs, signal, onSending),
    );
    return { result, durationMs: performance.now() - startedAt };
  } finally {
    gate.leave();
  }
}

function unsent(turn: Exclude<Turn, { readonly turn: 'go' }>): AttemptResult {
  if (turn.turn === 'held-back') return { result: 'held-back', retryAfterMs: turn.retryAfterMs };
  const aborted = turn.turn === 'aborted';
  return { result: 'failure', sent: false, aborted, code: aborted ? 'ABORTED' : 'QUEUE_TIMEOUT' };
}
