import { EventEmitter, once } from 'node:events';
import {
  reset,
  startMisbehavingGateway,
  text,
  truncate,
  type Behaviour,
  type SeenRequest,
} from '../../support/misbehaving-gateway.js';
import { accept, refuse } from '../../support/working-gateway.js';
import { type History } from '../history.js';
import { lot } from '../plan.js';
import { DEADLINE_MS, isFenced, isLost } from './call-settings.js';

/** What the gateway does with a payment that it receives for the first time. */
const FATES = [
  'takes it',
  'takes it',
  'refuses it',
  'receives nothing',
  'takes it and breaks the connection',
  'takes it and cuts the answer',
  'takes it and answers 502',
  'takes it and answers late',
  'takes it late and never answers',
] as const;
type Fate = (typeof FATES)[number];
const LATE_MS = 1_000;

export interface CallGateway {
  readonly baseUrl: string;
  /** Resolves once so many payments wait for their refusal. */
  holds(payments: number): Promise<void>;
  /** Tells those who wait that their payments are refused: their outcome meanwhile is another matter. */
  refuseHeld(): void;
  close(): Promise<void>;
}

/**
 * A gateway that keeps a ledger: it knows idempotency keys, and does not mind a reference that was used before. A
 * process that sends another key for the same payment pays twice.
 */
export async function startCallGateway(seed: string, history: History): Promise<CallGateway> {
  const gateway = await startMisbehavingGateway();
  const refused = new Map<string, boolean>();
  const requests = new Map<string, number>();
  const held = new Map<string, () => void>();
  const news = new EventEmitter();
  const move = (reference: string, key: string): void => {
    history.add({ what: 'moved', reference, key });
  };
  const take = (reference: string, key: string, fate: Fate): Behaviour => {
    if (fate === 'takes it late and never answers') {
      setTimeout(() => {
        move(reference, key);
      }, LATE_MS);
      return () => undefined;
    }
    move(reference, key);
    return answerOf(fate);
  };
  /** Refused while there was no money, with an answer that comes late; taken when it comes again. */
  const hold = (reference: string, refuseIt: () => void): void => {
    held.set(reference, refuseIt);
    news.emit('held');
  };
  gateway.answer((response, socket, request) => {
    const { reference, key } = paymentOf(request);
    if (isFenced(reference) && !held.has(reference)) {
      hold(reference, () => {
        refuse('INSUFFICIENT_BALANCE', 422)(response, socket, request);
      });
      return;
    }
    const count = requests.get(reference) ?? 0;
    requests.set(reference, count + 1);
    const fate =
      fixedFate(reference) ?? FATES[Math.floor(lot(seed, 'gateway', reference, count) * FATES.length)]!;
    const before = refused.get(key);
    if (before !== undefined)
      (before ? refuse('INVALID_PHONE', 422) : refuse('DUPLICATE_REQUEST', 409))(response, socket, request);
    else if (fate === 'receives nothing') reset(response, socket, request);
    else {
      refused.set(key, fate === 'refuses it');
      const answer = fate === 'refuses it' ? refuse('INVALID_PHONE', 422) : take(reference, key, fate);
      answer(response, socket, request);
    }
  });
  return {
    baseUrl: gateway.baseUrl,
    holds: async (payments) => {
      while (held.size < payments) await once(news, 'held');
    },
    refuseHeld: () => {
      for (const refuseIt of held.values()) refuseIt();
    },
    close: () => gateway.close(),
  };
}

function fixedFate(reference: string): Fate | undefined {
  if (isFenced(reference)) return 'takes it';
  return isLost(reference) ? 'takes it and breaks the connection' : undefined;
}

function answerOf(fate: Fate): Behaviour {
  switch (fate) {
    case 'takes it and breaks the connection':
      return reset;
    case 'takes it and cuts the answer':
      return truncate;
    case 'takes it and answers 502':
      return text('<html>', 502);
    case 'takes it and answers late':
      return (response, socket, request) => {
        setTimeout(() => {
          accept(response, socket, request);
        }, DEADLINE_MS + LATE_MS);
      };
    default:
      return accept;
  }
}

function paymentOf({ headers, body }: SeenRequest): { readonly reference: string; readonly key: string } {
  const { reference } = JSON.parse(body) as { readonly reference: string };
  return { reference, key: String(headers['idempotency-key']) };
}
