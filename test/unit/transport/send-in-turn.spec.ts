import { describe, expect, it } from '@jest/globals';
import { performance } from 'node:perf_hooks';
import { HttpService } from '@nestjs/axios';
import { AccountGate } from '../../../lib/transport/account-gate.js';
import { CallTrace } from '../../../lib/transport/call-trace.js';
import { sendInTurn } from '../../../lib/transport/send-in-turn.js';

describe('sending in turn', () => {
  it('sends nothing once the deadline has passed, and gives the turn back', async () => {
    const http = new HttpService();
    let sent = 0;
    http.axiosRef.defaults.adapter = () => {
      sent += 1;
      return Promise.reject(new Error('sent'));
    };
    const gate = new AccountGate({ perSecond: undefined, concurrency: 1 });
    const { result } = await sendInTurn({
      http,
      gate,
      trace: new CallTrace({ account: 'default', operation: 'wallet.balance' }),
      request: { method: 'GET', url: 'http://127.0.0.1:1/', headers: {}, body: undefined },
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
