import { json, reset, text, type Behaviour, type SeenRequest } from './misbehaving-gateway.js';

/** What a gateway does with one request. */
export type Fault =
  | 'none'
  | 'lost-before'
  | 'lost-after'
  | 'cut-answer'
  | 'html-502'
  | 'refused'
  | 'unauthorized'
  | 'too-many'
  | 'provider-error-before'
  | 'provider-error-after'
  | 'unlisted-after'
  | 'redirect';

export const FAULTS: readonly Fault[] = [
  'none',
  'lost-before',
  'lost-after',
  'cut-answer',
  'html-502',
  'refused',
  'unauthorized',
  'too-many',
  'provider-error-before',
  'provider-error-after',
  'unlisted-after',
  'redirect',
];

/** Money that moved. */
export interface Effect {
  readonly path: string;
  readonly reference: string;
  readonly amount: unknown;
  readonly key: string;
}

const family = (path: string): string => (path.includes('/payments/') ? 'collection' : 'disbursement');

/**
 * The harshest gateway that the specification allows: it knows idempotency keys, and does not mind a reference that was
 * used before. A caller that sends another key for the same payment pays twice.
 */
export class KeyOnlyGateway {
  readonly effects: Effect[] = [];
  private readonly faults: Fault[] = [];
  private readonly keys = new Set<string>();

  /** Spoils the next requests, in order. */
  plan(...faults: readonly Fault[]): void {
    this.faults.splice(0, this.faults.length, ...faults);
  }

  effectsOf(of: string, reference: string): readonly Effect[] {
    return this.effects.filter((effect) => family(effect.path) === of && effect.reference === reference);
  }

  readonly answer: Behaviour = (response, socket, request) => {
    const behaviour = this.behaviour(this.faults.shift() ?? 'none', request);
    behaviour(response, socket, request);
  };

  private behaviour(fault: Fault, request: SeenRequest): Behaviour {
    switch (fault) {
      case 'none':
        return this.process(request);
      case 'lost-before':
        return reset;
      case 'lost-after':
        this.process(request);
        return reset;
      case 'cut-answer':
        this.process(request);
        return text('{"status":"success","data":{', 200);
      case 'html-502':
        return text('<html>', 502);
      case 'refused':
        return json({ success: false, code: 'INVALID_PHONE', message: 'x' }, 422);
      case 'unauthorized':
        return json({ message: 'x' }, 401);
      case 'too-many':
        return json({ message: 'x' }, 429, { 'retry-after': '100' });
      case 'provider-error-before':
        return json({ success: false, code: 'PROVIDER_ERROR', message: 'x' }, 422);
      case 'provider-error-after':
        this.process(request);
        return json({ success: false, code: 'PROVIDER_ERROR', message: 'x' }, 422);
      case 'unlisted-after':
        this.process(request);
        return json({ success: false, code: 'WHO_KNOWS', message: 'x' }, 500);
      case 'redirect':
        return text('', 307, { location: '/elsewhere' });
    }
  }

  private process({ path, headers, body }: SeenRequest): Behaviour {
    const key = String(headers['idempotency-key']);
    if (this.keys.has(key)) return json({ success: false, code: 'DUPLICATE_REQUEST', message: 'x' }, 409);
    this.keys.add(key);
    const sent = JSON.parse(body) as { reference: string; amount: unknown };
    this.effects.push({ path, reference: sent.reference, amount: sent.amount, key });
    return json({ status: 'success', code: 'OK', message: 'x', data: { ...sent, status: 'pending' } });
  }
}
