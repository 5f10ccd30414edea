import { ConsoleLogger, Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  CALL_ATTEMPT_CHANNEL,
  CALL_END_CHANNEL,
  CALL_START_CHANNEL,
  CALL_WAIT_CHANNEL,
  memoryStorage,
  onPaymentsDiagnostics,
  type PaymentsStorage,
  PaymentsStorageError,
} from 'nestjs-payments';
import { hearDiagnostics, keepLogLines, type HeardEvent } from '../../support/diagnostics-log.js';
import { bankRecord, bankRequest, envelope } from '../../support/gateway-answers.js';
import { startMerchant, type Merchant } from '../../support/merchant.js';
import {
  hang,
  json,
  reset,
  startMisbehavingGateway,
  type MisbehavingGateway,
} from '../../support/misbehaving-gateway.js';

const REQUEST_ID = envelope(null)['request_id'] as string;
const call = {
  callId: expect.any(Number) as unknown,
  account: 'default',
  operation: 'disbursement.bank',
  reference: 'salary-1',
};
const durationMs: unknown = expect.any(Number);

describe('what a call tells while it goes', () => {
  let gateway: MisbehavingGateway;
  let merchant: Merchant;
  let heard: HeardEvent[];
  let lines: string[];
  let stop: () => void;

  const eventsOf = (channel: string): unknown[] =>
    heard.filter((one) => one.channel === channel).map(({ event }) => event);

  beforeEach(async () => {
    gateway = await startMisbehavingGateway();
    merchant = await startMerchant({ baseUrl: gateway.baseUrl });
    ({ heard, stop } = hearDiagnostics());
    lines = keepLogLines();
  });

  afterEach(async () => {
    stop();
    Logger.overrideLogger(false);
    await gateway.close();
    await merchant.close();
  });

  it.each([
    ['refuses the keys', json({ message: 'Unauthenticated' }, 401), /httpStatus=401 hint="Check apiKey/],
    [
      'redirects',
      json({}, 301, { location: 'https://elsewhere.example/' }),
      /httpStatus=301 hint="Set baseUrl/,
    ],
  ])('is a warning that says what to do if the gateway %s', async (_, behaviour, hint) => {
    gateway.answer(behaviour);
    await expect(merchant.disbursements.bank(bankRequest)).rejects.toThrow();
    const warnings = lines.filter((line) => line.startsWith('warn'));
    expect(warnings).toEqual([expect.stringMatching(hint)]);
    expect(warnings[0]).toMatch(/^warn disbursement\.bank reference="salary-1" error=Payments/);
    expect(warnings[0]).not.toMatch(/_test_|0150123456789/);
  });

  describe('on the diagnostics channels', () => {
    it('is its start, every try, every wait between them, and its end', async () => {
      gateway.answer(
        json({ message: 'Too many' }, 429, { 'retry-after': '0' }),
        json(envelope(bankRecord, 'OK')),
      );
      await merchant.disbursements.bank(bankRequest);
      expect(heard).toEqual([
        { channel: CALL_START_CHANNEL, event: call },
        {
          channel: CALL_ATTEMPT_CHANNEL,
          event: { ...call, attempt: 1, phase: 'answered', httpStatus: 429, durationMs },
        },
        { channel: CALL_WAIT_CHANNEL, event: { ...call, attempt: 2, reason: 'retry', durationMs } },
        {
          channel: CALL_ATTEMPT_CHANNEL,
          event: {
            ...call,
            attempt: 2,
            phase: 'answered',
            httpStatus: 200,
            code: 'OK',
            requestId: REQUEST_ID,
            durationMs,
          },
        },
        {
          channel: CALL_END_CHANNEL,
          event: { ...call, outcome: 'success', code: 'OK', requestId: REQUEST_ID, attempts: 2, durationMs },
        },
      ]);
      expect(new Set(heard.map(({ event }) => event.callId)).size).toBe(1);
    });

    it('is a wait for its turn too', async () => {
      const busy = await startMerchant({ baseUrl: gateway.baseUrl, rate: { concurrency: 1 } });
      gateway.answer(json(envelope([])));
      await Promise.all([busy.banks.list(), busy.banks.list()]);
      await busy.close();
      expect(eventsOf(CALL_WAIT_CHANNEL)).toEqual([
        {
          callId: expect.any(Number) as unknown,
          account: 'default',
          operation: 'banks.list',
          attempt: 1,
          reason: 'rate',
          durationMs,
        },
      ]);
    });

    it('contains the wait of a payment for the end of a pause, before which it was not written down', async () => {
      const busy = await startMerchant({
        baseUrl: gateway.baseUrl,
        retry: { maxAttempts: 1 },
      });
      // Longer than the way to the next call, on a slow machine too.
      gateway.answer(json({ message: 'Later' }, 429, { 'retry-after': '2' }));
      await expect(busy.banks.list()).rejects.toThrow('429');
      gateway.answer(reset);
      await expect(busy.disbursements.bank(bankRequest)).rejects.toThrow();
      await busy.close();
      const [wait] = eventsOf(CALL_WAIT_CHANNEL) as { reason: string; durationMs: number }[];
      const ended = eventsOf(CALL_END_CHANNEL).at(-1) as { durationMs: number };
      expect(wait).toMatchObject({ operation: 'disbursement.bank', attempt: 1, reason: 'rate' });
      expect(wait!.durationMs).toBeGreaterThan(0);
      expect(ended.durationMs).toBeGreaterThanOrEqual(wait!.durationMs);
    });

    it('is an unknown outcome with its evidence', async () => {
      gateway.answer(reset);
      await expect(merchant.disbursements.bank(bankRequest)).rejects.toThrow();
      expect(eventsOf(CALL_END_CHANNEL)).toEqual([
        {
          ...call,
          outcome: 'unknown',
          error: 'PaymentOutcomeUnknownError',
          code: 'OUTCOME_UNKNOWN',
          evidence: 'no-answer',
          attempts: 1,
          durationMs,
        },
      ]);
    });

    it('is a refusal with its code', async () => {
      gateway.answer(json({ status: 'error', code: 'INVALID_BANK', message: 'No' }, 422));
      await expect(merchant.disbursements.bank(bankRequest)).rejects.toThrow();
      expect(eventsOf(CALL_END_CHANNEL)).toMatchObject([
        { outcome: 'failed', error: 'PaymentRejectedError', code: 'INVALID_BANK', attempts: 1 },
      ]);
    });

    it('is an abort without its reason', async () => {
      const controller = new AbortController();
      gateway.answer(hang);
      const reading = merchant.banks.list({ signal: controller.signal });
      await gateway.arrived(1);
      controller.abort(new Error('the customer +255712345678 left'));
      await expect(reading).rejects.toThrow('left');
      expect(eventsOf(CALL_END_CHANNEL)).toEqual([
        {
          callId: expect.any(Number) as unknown,
          account: 'default',
          operation: 'banks.list',
          outcome: 'aborted',
          attempts: 1,
          durationMs,
        },
      ]);
    });

    it('is nothing of a call that was wrong from the start', async () => {
      await expect(merchant.disbursements.bank({ ...bankRequest, reference: ' ' })).rejects.toThrow();
      expect(heard).toEqual([]);
    });

    describe('of a payment that the storage does not write down', () => {
      const payWith = async (insert: () => Promise<never>): Promise<unknown> => {
        const { journal, ...rest } = memoryStorage();
        const broken = Object.assign(Object.create(journal) as PaymentsStorage['journal'], { insert });
        const poor = await startMerchant({
          baseUrl: gateway.baseUrl,
          storage: { ...rest, name: 'full', journal: broken },
        });
        // Another merchant has set Nest's logger again.
        lines = keepLogLines();
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
        try {
          const paying = poor.disbursements.bank(bankRequest).catch((error: unknown) => error);
          await vi.advanceTimersByTimeAsync(5_000);
          return await paying;
        } finally {
          vi.useRealTimers();
          await poor.close();
        }
      };

      it.each<[string, () => Promise<never>, string]>([
        [
          'refuses',
          () => Promise.reject(new Error('OOM: password=hunter2')),
          'error Not sent: the journal is unreachable: disbursement.bank "salary-1": Error',
        ],
        [
          'does not answer',
          () => new Promise<never>(() => undefined),
          'error Not sent: the journal is unreachable: disbursement.bank "salary-1": it did not answer in time',
        ],
      ])('is its start and its end, and a line of the log, if it %s', async (_, insert, line) => {
        expect(await payWith(insert)).toBeInstanceOf(PaymentsStorageError);
        expect(heard).toEqual([
          { channel: CALL_START_CHANNEL, event: call },
          {
            channel: CALL_END_CHANNEL,
            event: {
              ...call,
              outcome: 'failed',
              error: 'PaymentsStorageError',
              code: 'STORAGE_UNAVAILABLE',
              attempts: 0,
              durationMs: 0,
            },
          },
        ]);
        expect(lines).toEqual([expect.stringContaining(line)]);
        expect(lines.join('')).not.toContain('hunter2');
      });
    });

    it.each([
      [
        'throws',
        (): never => {
          throw new Error('broken listener');
        },
      ],
      ['rejects', () => Promise.reject(new Error('broken listener'))],
    ])('disturbs no call if a listener %s, and is written to the log', async (_, listener) => {
      const ends = [CALL_START_CHANNEL, CALL_ATTEMPT_CHANNEL, CALL_END_CHANNEL].map((channel) =>
        onPaymentsDiagnostics(channel as typeof CALL_END_CHANNEL, listener),
      );
      gateway.answer(json(envelope([])));
      await expect(merchant.banks.list()).resolves.toEqual([]);
      ends.forEach((end) => {
        end();
      });
      expect(lines.filter((line) => line.includes('broken listener'))).toHaveLength(3);
      await merchant.banks.list();
      expect(lines.filter((line) => line.includes('broken listener'))).toHaveLength(3);
    });
  });

  describe('in the log', () => {
    const anyDuration = (line: string): string => line.replace(/duration=\d+ms/, 'duration=Nms');

    it('is one line a try: a warning if it is tried again, otherwise a debug line', async () => {
      gateway.answer(
        json({ message: 'Too many' }, 429, { 'retry-after': '0' }),
        json(envelope(bankRecord, 'OK')),
      );
      await merchant.disbursements.bank(bankRequest);
      expect(lines.map(anyDuration)).toEqual([
        'warn disbursement.bank reference="salary-1" attempt=1 phase=answered duration=Nms PaymentsCalls',
        `debug disbursement.bank reference="salary-1" attempt=2 phase=answered code="OK" requestId="${REQUEST_ID}" duration=Nms PaymentsCalls`,
      ]);
    });

    it('is a warning if the outcome is unknown', async () => {
      gateway.answer(reset);
      await expect(merchant.disbursements.bank(bankRequest)).rejects.toThrow();
      expect(lines.map(anyDuration)).toEqual([
        'warn disbursement.bank reference="salary-1" attempt=1 phase=ambiguous code="ECONNRESET" duration=Nms PaymentsCalls',
      ]);
    });

    it('is a debug line if the gateway refuses, because the caller gets the error', async () => {
      gateway.answer(json({ status: 'error', code: 'INVALID_BANK', message: 'No' }, 422));
      await expect(merchant.disbursements.bank(bankRequest)).rejects.toThrow();
      expect(lines.map(anyDuration)).toEqual([
        'debug disbursement.bank reference="salary-1" attempt=1 phase=answered code="INVALID_BANK" duration=Nms PaymentsCalls',
      ]);
    });

    it('is not written if its level is off', async () => {
      const logger = new ConsoleLogger();
      const debug = vi.spyOn(logger, 'debug');
      Logger.overrideLogger(logger);
      Logger.overrideLogger(['error', 'warn']);
      gateway.answer(json(envelope(bankRecord)));
      try {
        await merchant.disbursements.bank(bankRequest);
      } finally {
        Logger.overrideLogger(['debug']);
      }
      expect(debug).not.toHaveBeenCalled();
    });

    it('quotes a reference, which cannot pass for another field', async () => {
      const reference = 'a" code="SUCCESS';
      gateway.answer(json(envelope({ ...bankRecord, reference })));
      await merchant.disbursements.bank({ ...bankRequest, reference });
      expect(lines.join('')).toContain(` reference=${JSON.stringify(reference)} attempt=1 `);
    });

    const broken = (): never => {
      throw new Error('disk full');
    };
    it.each([
      ['writes', { log: broken, error: broken, warn: broken, debug: broken }],
      ['tells its levels', Object.assign(new ConsoleLogger(), { isLevelEnabled: broken })],
    ])('that fails when it %s does not turn an accepted payment into an error', async (_, logger) => {
      Logger.overrideLogger(logger);
      gateway.answer(json(envelope(bankRecord)));
      await expect(merchant.disbursements.bank(bankRequest)).resolves.toMatchObject({ status: 'processing' });
    });
  });
});
