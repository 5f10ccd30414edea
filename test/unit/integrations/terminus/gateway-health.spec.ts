import { describe, expect, it } from 'vitest';
import {
  GatewayAnswerError,
  GatewayUnreachableError,
  PaymentRejectedError,
  PaymentsAuthenticationError,
  PaymentsConfigError,
  PaymentsRateLimitError,
} from '../../../../lib/errors/payments-errors.js';
import { PaymentsOverloadError } from '../../../../lib/errors/payments-overload.error.js';
import {
  type GatewayHealth,
  type GatewaySign,
  updateHealth,
  signOf,
} from '../../../../lib/integrations/terminus/gateway-health.js';

const unreachable = (code: string): GatewayUnreachableError =>
  new GatewayUnreachableError('Nothing was sent.', {
    attempts: [{ number: 1, phase: 'not-sent', code, durationMs: 1 }],
  });

describe('a health check of the gateway', () => {
  it.each<[string, unknown, GatewaySign]>([
    [
      'credentials',
      new PaymentsAuthenticationError('UNAUTHORIZED', 'no'),
      { sign: 'broken', problem: 'The gateway does not accept the credentials (UNAUTHORIZED).' },
    ],
    [
      'a redirect',
      new PaymentsConfigError('The gateway redirects'),
      { sign: 'broken', problem: 'The gateway redirects: baseUrl is not its own address.' },
    ],
    [
      'no connection',
      unreachable('ECONNREFUSED'),
      { sign: 'broken', problem: 'The gateway cannot be reached (ECONNREFUSED).' },
    ],
    ['a full queue of its own calls', unreachable('QUEUE_TIMEOUT'), { sign: 'unclear' }],
    ['too many calls of this process', new PaymentsOverloadError('wait'), { sign: 'unclear' }],
    ['too many requests', new PaymentsRateLimitError(1_000, 'wait'), { sign: 'busy' }],
    ['no usable answer', new GatewayAnswerError('SERVER_ERROR', 'HTTP 500'), { sign: 'unclear' }],
    ['a refusal', new PaymentRejectedError('HTTP_404', 'not here', {}, {}), { sign: 'unclear' }],
    ['a foreign error', new Error('+255712345678'), { sign: 'unclear' }],
  ])('reads an error about %s', (_, error, sign) => {
    expect(signOf(error)).toEqual(sign);
  });

  it.each<GatewaySign>([{ sign: 'accepted' }, { sign: 'busy' }])(
    'believes the calls in whose queue it waited in vain, here %j',
    (others) => {
      expect(signOf(unreachable('QUEUE_TIMEOUT'), others)).toEqual(others);
      expect(signOf(new PaymentsOverloadError('wait'), others)).toEqual(others);
      expect(signOf(new GatewayAnswerError('SERVER_ERROR', 'HTTP 500'), others)).toEqual({ sign: 'unclear' });
    },
  );
});

describe('what is known of the gateway', () => {
  const broken: GatewaySign = { sign: 'broken', problem: 'refused' };
  const after = (...signs: readonly GatewaySign[]): GatewayHealth | undefined =>
    signs.reduce<GatewayHealth | undefined>(updateHealth, undefined);
  const accepted: GatewaySign = { sign: 'accepted' };
  const unclear: GatewaySign = { sign: 'unclear' };
  const busy: GatewaySign = { sign: 'busy' };

  it.each<[string, readonly GatewaySign[], GatewayHealth['status'], string | undefined]>([
    ['up after a balance', [accepted], 'up', undefined],
    ['down at once if it is broken', [accepted, broken], 'down', 'refused'],
    ['up again after the next balance', [broken, accepted], 'up', undefined],
    ['unclear if no answer was usable yet', [unclear], 'unclear', undefined],
    ['unclear if there were too many requests from the start', [busy], 'unclear', undefined],
    ['as it was after two answers that say nothing', [accepted, unclear, unclear], 'up', undefined],
    [
      'down after the third',
      [accepted, unclear, unclear, unclear],
      'down',
      'The gateway gave no usable answer 3 times in a row.',
    ],
    [
      'down after the third from the start too',
      [unclear, unclear, unclear],
      'down',
      'The gateway gave no usable answer 3 times in a row.',
    ],
    ['up if a balance came between them', [unclear, unclear, accepted, unclear, unclear], 'up', undefined],
    ['never down for too many requests', [accepted, busy, busy, busy, busy], 'up', undefined],
    ['still down while nothing better is known', [broken, unclear, busy], 'down', 'refused'],
    ['still down for its first reason', [broken, unclear, unclear, unclear], 'down', 'refused'],
  ])('the gateway is %s', (_, signs, status, problem) => {
    const health = after(...signs);
    expect(health?.status).toBe(status);
    expect(health?.problem).toBe(problem);
  });
});
