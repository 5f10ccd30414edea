import { describe, expect, it } from '@jest/globals';
import { performance } from 'node:perf_hooks';
import { AccountGate } from '../../../lib/transport/account-gate.js';
import { CallTrace } from '../../../lib/transport/call-trace.js';
import { sendInTurn } from '../../../lib/transport/send-in-turn.js';

describe('sending in turn', () => {
  it('sends nothing once the deadline has passed, and gives the turn back', async () => {
    let sent = 0;
    const carrier = {
      carry: () => {
        sent += 1;
        throw new Error('sent');
      },
    };
    const gate = new AccountGate({ perSecond: undefined, concurrency: 1 });
    const { result } = await sendInTurn({
      carrier,
      gate,
      trace: new CallTrace({ account: 'default', operation: 'wallet.balance' }),
      request: { method: 'GET', origin: 'http://127.0.0.1:1', path: '/', headers: {}, body: undefined },
      signal: undefined,
      timeoutMs: 100,
      deadline: performance.now() - 1,
      sendBy: performance.now() - 1,
    });
    expect(result).toMatchObject({ result: 'failure', sent: false });
    expect(sent).toBe(0);
    expect(gate.enter(performance.now() + 1_000, undefined)).toEqual({ turn: 'go' });
  });
});
