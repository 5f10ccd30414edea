import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CALL_ATTEMPT_CHANNEL, onPaymentsDiagnostics } from 'nestjs-payments';
import { collectionRequest } from '../../support/gateway-answers.js';
import { startMerchantApp, type MerchantApp } from '../../support/merchant-app.js';
import { startMisbehavingGateway, text, type MisbehavingGateway } from '../../support/misbehaving-gateway.js';
import { accept, refuse } from '../../support/working-gateway.js';

const EFFECT_AFTER_MS = 5_000;
/** The phone rings, and money may move. */
type Effect = { readonly reference: string };

/** Resolves when the package has made sense of the next answer. */
function nextAttempt(): Promise<void> {
  return new Promise((resolve) => {
    const stop = onPaymentsDiagnostics(CALL_ATTEMPT_CHANNEL, () => {
      stop();
      resolve();
    });
  });
}

describe('a gateway that answers 502 at once, and makes the payment five seconds later', () => {
  let gateway: MisbehavingGateway;
  let app: MerchantApp | undefined;
  let effects: Effect[];

  beforeEach(async () => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
    });
    effects = [];
    gateway = await startMisbehavingGateway();
    // It knows a key once it has processed it, and refuses it then: that is all that it promises.
    const processed = new Set<unknown>();
    const process = (key: unknown, body: string): void => {
      if (processed.has(key)) return;
      processed.add(key);
      effects.push({ reference: (JSON.parse(body) as Effect).reference });
    };
    let isFirst = true;
    gateway.answer((response, socket, request) => {
      const key = request.headers['idempotency-key'];
      const wasFirst = isFirst;
      isFirst = false;
      if (wasFirst) {
        setTimeout(() => {
          // What was taken is made, whatever came since.
          processed.delete(key);
          process(key, request.body);
        }, EFFECT_AFTER_MS);
        text('<html>Bad Gateway</html>', 502)(response, socket, request);
      } else if (processed.has(key)) {
        refuse('DUPLICATE_REQUEST', 409)(response, socket, request);
      } else {
        process(key, request.body);
        accept(response, socket, request);
      }
    });
  });
  afterEach(async () => {
    vi.useRealTimers();
    await app?.close();
    await gateway.close();
  });

  it('makes one payment with the default wait: the probe finds its key processed', async () => {
    app = await startMerchantApp({ baseUrl: gateway.baseUrl, probe: {} });
    const answered = nextAttempt();
    const call = app.collections.mobileMoney(collectionRequest).catch((error: unknown) => error);
    await answered;
    await vi.advanceTimersByTimeAsync(14_999);
    expect(gateway.seen).toHaveLength(1);
    expect(effects).toEqual([{ reference: 'order-1' }]);
    await vi.advanceTimersByTimeAsync(1);
    await gateway.arrived(2);
    expect(await call).toMatchObject({
      name: 'PaymentOutcomeUnknownError',
      evidence: 'duplicate-request',
      attempts: [{ httpStatus: 502 }, { httpStatus: 409, code: 'DUPLICATE_REQUEST' }],
    });
    const [first, probe] = gateway.seen;
    expect(probe?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    expect(probe?.body).toBe(first?.body);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(gateway.seen).toHaveLength(2);
    expect(effects).toHaveLength(1);
  });

  it('makes two if the configured wait is shorter than that, against the documents', async () => {
    app = await startMerchantApp({
      baseUrl: gateway.baseUrl,
      probe: { collections: { afterAnswerMs: 3_000, afterSilenceMs: 3_000 } },
    });
    const answered = nextAttempt();
    const call = app.collections.mobileMoney(collectionRequest);
    await answered;
    await vi.advanceTimersByTimeAsync(3_000);
    await gateway.arrived(2);
    await call;
    await vi.advanceTimersByTimeAsync(EFFECT_AFTER_MS);
    expect(effects).toHaveLength(2);
  });
});
