import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  All,
  Body,
  type CanActivate,
  Controller,
  HttpCode,
  type INestApplication,
  Post,
  type Type,
  UseGuards,
  Version,
  VERSION_NEUTRAL,
  type VersioningOptions,
  VersioningType,
} from '@nestjs/common';
import { Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  customScheme,
  onPaymentsDiagnostics,
  type PaymentsModuleRootOptions,
  PaymentsWebhook,
  PaymentsWebhookGuard,
  type SignatureVerdict,
  WEBHOOK_REFUSED_CHANNEL,
} from 'nestjs-payments';
import { paymentEvent } from 'nestjs-payments/testing';
import { unverifiedBytesIn } from '../../support/unverified-bytes.js';
import {
  adapters,
  deliver,
  paymentsOptions,
  send,
  startWebhookApp,
  type WebhookApp,
  type WebhookAppOptions,
} from '../../support/webhook-app.js';
import { WebhooksController } from '../../support/webhooks.controller.js';

type Next = (error?: unknown) => void;
type Verify = () => SignatureVerdict | Promise<SignatureVerdict>;

const NO: SignatureVerdict = { ok: false, reason: 'it is forged' };
const forged = { headers: { 'x-webhook-signature': 'forged' } };
const verify = vi.fn<Verify>();
const counted = paymentsOptions({ scheme: customScheme({ name: 'partner', verify }) });

async function later(verdict: SignatureVerdict): Promise<SignatureVerdict> {
  await nextTurn();
  return verdict;
}

let running: WebhookApp | undefined;

async function start(adapter: 'express' | 'fastify', options: WebhookAppOptions = {}): Promise<WebhookApp> {
  running = await startWebhookApp(adapter, { controllers: [WebhooksController], ...options });
  return running;
}

function heldBytes(): number {
  return unverifiedBytesIn(running!.app);
}

afterEach(async () => {
  await running?.app.close();
  running = undefined;
  verify.mockReset();
});

describe.each(adapters)('the signature of a delivery on %s', (adapter) => {
  it.each<[string, Verify]>([
    ['answers at once', () => ({ ok: true })],
    ['answers later', () => later({ ok: true })],
  ])('is checked once by a scheme that %s', async (_what, answer) => {
    verify.mockImplementation(answer);
    const { port } = await start(adapter, { payments: [counted] });
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(200);
    expect(verify).toHaveBeenCalledTimes(1);
  });

  it.each(['default', 'partner'])(
    'is checked for each account whose guard is on a route: %s refuses',
    async (refusing) => {
      const ofAccount = (name: string): PaymentsModuleRootOptions => {
        const verdict: SignatureVerdict = name === refusing ? NO : { ok: true };
        return paymentsOptions({ scheme: customScheme({ name, verify: () => verdict }) }, { name });
      };
      const received = vi.fn();
      @Controller('webhooks')
      @UseGuards(PaymentsWebhookGuard)
      class TwiceGuarded {
        @Post('payments')
        @UseGuards(PaymentsWebhookGuard.for('partner'))
        receive(): void {
          received();
        }
      }
      const payments = ['default', 'partner'].map(ofAccount);
      const { port } = await start(adapter, { controllers: [TwiceGuarded], payments });
      expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(401);
      expect(received).not.toHaveBeenCalled();
    },
  );
});

describe('a forged delivery on express', () => {
  it.each<[string, Verify]>([
    ['at once', () => NO],
    ['later', () => later(NO)],
  ])(
    'is answered before any code of the application runs, also if its scheme refuses it %s',
    async (_when, answer) => {
      verify.mockImplementation(answer);
      const guard = vi.fn(() => true);
      const guards: CanActivate = { canActivate: guard };
      const refused: unknown[] = [];
      const stop = onPaymentsDiagnostics(WEBHOOK_REFUSED_CHANNEL, (event) => void refused.push(event));
      const { port, logs } = await start('express', {
        payments: [counted],
        prepare: (app) => void app.useGlobalGuards(guards),
      });
      const { status, text } = await deliver(port, paymentEvent('payment.success'));
      stop();
      expect(status).toBe(401);
      expect(JSON.parse(text)).toEqual({
        statusCode: 401,
        error: 'Unauthorized',
        message: 'The webhook signature is not valid.',
      });
      expect(guard).not.toHaveBeenCalled();
      expect(refused).toEqual([{ account: 'default', status: 401 }]);
      expect(logs.webhooks('warn').filter((line) => line.includes('it is forged'))).toHaveLength(1);
      expect(heldBytes()).toBe(0);
    },
  );

  it('leaves its connection to the next delivery', async () => {
    const { port } = await start('express');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const long = paymentEvent('payment.success', { note: 'x'.repeat(60_000) });
    for (let round = 0; round < 3; round += 1) {
      expect((await deliver(port, long, { ...forged, agent })).status).toBe(401);
      expect((await deliver(port, paymentEvent('payment.success'), { agent })).status).toBe(200);
    }
    agent.destroy();
  });

  it('is not answered twice if the application answers while its scheme verifies it', async () => {
    let answered: () => void = () => undefined;
    const answer = new Promise<void>((resolve) => (answered = resolve));
    verify.mockImplementation(async () => {
      await answer;
      return NO;
    });
    const timeout = (app: INestApplication): void => {
      app.use((_request: unknown, response: ServerResponse, next: Next) => {
        next();
        response.writeHead(504).end(answered);
      });
    };
    const { port } = await start('express', { payments: [counted], prepare: timeout });
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(504);
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(504);
  });
});

describe('a request on express for a route of another version', () => {
  const HEADER: VersioningOptions = { type: VersioningType.HEADER, header: 'x-version' };
  const VERSIONINGS: [string, VersioningOptions, (version: string) => Record<string, string>][] = [
    ['a header', HEADER, (version) => ({ 'x-version': version })],
    [
      'the media type',
      { type: VersioningType.MEDIA_TYPE, key: 'v=' },
      (version) => ({ accept: `application/json;v=${version}` }),
    ],
    [
      'a function',
      {
        type: VersioningType.CUSTOM,
        extractor: (request) => (request as IncomingMessage).headers['x-v'] ?? '',
      },
      (version) => ({ 'x-v': version }),
    ],
  ];
  const others: [string, () => Type][] = [
    [
      'of the same path',
      () => {
        @Controller({ path: 'webhooks', version: '2' })
        class Same {
          @Post('payments')
          take(@Body() body: object): object {
            return body;
          }
        }
        return Same;
      },
    ],
    [
      'below a parameter',
      () => {
        @Controller({ path: 'webhooks', version: '2' })
        class BelowParameter {
          @Post(':kind')
          take(@Body() body: object): object {
            return body;
          }
        }
        return BelowParameter;
      },
    ],
    [
      'of every version that takes what is left',
      () => {
        @Controller({ version: VERSION_NEUTRAL })
        class Rest {
          @All('*rest')
          @HttpCode(201)
          take(@Body() body: object): object {
            return body;
          }
        }
        return Rest;
      },
    ],
  ];

  @Controller({ path: 'webhooks', version: '1' })
  class Guarded {
    @Post('payments')
    @HttpCode(200)
    @UseGuards(PaymentsWebhookGuard)
    receive(): void {}
  }
  @Controller('webhooks')
  class Decorated {
    @Version('1')
    @PaymentsWebhook('payments')
    receive(): void {}
  }
  const cases = VERSIONINGS.flatMap(([by, versioning, naming]) =>
    others.flatMap(([what, other]) =>
      [Guarded, Decorated].map((own) => ({ by, what, name: own.name, versioning, naming, other, own })),
    ),
  );

  it.each(cases)(
    '$what is left to it, if $by selects the version: $name',
    async ({ versioning, naming, other, own }) => {
      const prepare = (app: INestApplication): void => void app.enableVersioning(versioning);
      const { port } = await start('express', { controllers: [own, other()], prepare });
      const order = { order: 'o-1' };
      const json = { 'content-type': 'application/json', ...naming('2') };
      for (const headers of [json, { ...json, ...forged.headers }]) {
        const { status, text } = await send(port, '/webhooks/payments', JSON.stringify(order), headers);
        expect([status, JSON.parse(text)]).toEqual([201, order]);
      }
      const event = paymentEvent('payment.success');
      expect((await deliver(port, event, { headers: naming('1') })).status).toBe(200);
      const forgedOne = { ...naming('1'), ...forged.headers };
      expect((await deliver(port, event, { headers: forgedOne })).status).toBe(401);
    },
  );

  it('is answered before the parsers if the webhook takes every version of its path', async () => {
    const guard = vi.fn(() => true);
    const { port } = await start('express', {
      prepare: (app) => {
        app.enableVersioning({ ...HEADER, defaultVersion: '1' });
        app.useGlobalGuards({ canActivate: guard });
      },
    });
    const headers = { 'x-version': '2', ...forged.headers };
    expect((await deliver(port, paymentEvent('payment.success'), { headers })).status).toBe(401);
    expect(guard).not.toHaveBeenCalled();
  });
});

describe('a delivery that a middleware of the application answers on express', () => {
  it.each<[string, (answer: () => void) => void]>([
    [
      'at once',
      (answer) => {
        answer();
      },
    ],
    ['later', (answer) => void setImmediate(answer)],
  ])('takes no room of unverified bodies any longer, be it answered %s', async (_when, run) => {
    const { port } = await start('express', {
      prepare: (app) =>
        void app.use((_request: unknown, response: ServerResponse) => {
          run(() => response.writeHead(429).end());
        }),
    });
    expect((await deliver(port, paymentEvent('payment.success'))).status).toBe(429);
    await expect.poll(() => heldBytes()).toBe(0);
  });
});
