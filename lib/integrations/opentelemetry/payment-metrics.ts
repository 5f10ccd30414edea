import { type Attributes, type Histogram, type Meter } from '@opentelemetry/api';
import {
  CALL_ATTEMPT_CHANNEL,
  CALL_END_CHANNEL,
  CALL_WAIT_CHANNEL,
  type CallEndEvent,
} from '../../common/call-diagnostics.js';
import { onPaymentsDiagnostics } from '../../common/diagnostics.js';
import { definedFields } from '../../common/json-object.js';
import {
  WEBHOOK_END_CHANNEL,
  WEBHOOK_HANDLER_END_CHANNEL,
  WEBHOOK_REFUSED_CHANNEL,
} from '../../common/webhook-diagnostics.js';
import { ATTR, attemptError } from './attributes.js';

/** In seconds. A gateway that pushes a prompt to a phone is slow. */
const BOUNDARIES = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Counts and times calls, tries and waits.
 *
 * @param accountLabel Whether they name the account.
 * @returns functions that stop it.
 */
export function measureCalls(meter: Meter, accountLabel: boolean): readonly (() => void)[] {
  const subject = ({ account, operation }: Pick<CallEndEvent, 'account' | 'operation'>): Attributes => ({
    ...(accountLabel && { [ATTR.account]: account }),
    [ATTR.operation]: operation,
  });
  const calls = meter.createCounter('payments.calls', { unit: '{call}', description: 'Calls that ended.' });
  const unknowns = meter.createCounter('payments.unknowns', {
    unit: '{call}',
    description: 'Calls after which money may have moved.',
  });
  const retries = meter.createCounter('payments.retries', {
    unit: '{retry}',
    description: 'Tries of a call after its first one.',
  });
  const callTime = seconds(
    meter,
    'payments.call.duration',
    'Duration of calls, all tries and waits included.',
  );
  const attemptTime = seconds(meter, 'payments.attempt.duration', 'Duration of single tries.');
  const waitTime = seconds(meter, 'payments.wait.duration', 'Duration of waits before a try.');

  return [
    onPaymentsDiagnostics(CALL_END_CHANNEL, (event) => {
      // Without the gateway's codes, whose number is unbounded; spans have them.
      const attributes = definedFields({
        ...subject(event),
        [ATTR.outcome]: event.outcome,
        [ATTR.errorType]: event.error,
      });
      calls.add(1, attributes);
      callTime.record(event.durationMs / 1_000, attributes);
      if (event.outcome === 'unknown') {
        unknowns.add(1, definedFields({ ...subject(event), [ATTR.evidence]: event.evidence }));
      }
    }),
    onPaymentsDiagnostics(CALL_ATTEMPT_CHANNEL, (event) => {
      const { attempt, phase, httpStatus, code, durationMs } = event;
      if (attempt > 1) retries.add(1, subject(event));
      const attributes = {
        ...subject(event),
        [ATTR.phase]: phase,
        [ATTR.httpStatus]: httpStatus,
        [ATTR.errorType]: attemptError(phase, httpStatus, code),
      };
      attemptTime.record(durationMs / 1_000, definedFields(attributes));
    }),
    onPaymentsDiagnostics(CALL_WAIT_CHANNEL, (event) => {
      waitTime.record(event.durationMs / 1_000, { ...subject(event), [ATTR.reason]: event.reason });
    }),
  ];
}

/**
 * Counts and times webhooks and their handlers.
 *
 * @param accountLabel Whether they name the account.
 * @returns functions that stop it.
 */
export function measureWebhooks(meter: Meter, accountLabel: boolean): readonly (() => void)[] {
  const named = (account: string): Attributes => (accountLabel ? { [ATTR.account]: account } : {});
  const webhooks = meter.createCounter('payments.webhooks', {
    unit: '{webhook}',
    description: 'Verified webhooks that were answered.',
  });
  const refusals = meter.createCounter('payments.webhook.refusals', {
    unit: '{webhook}',
    description: 'Webhooks that were refused: signature, size or content.',
  });
  const time = seconds(meter, 'payments.webhook.duration', 'Time until a verified webhook was answered.');
  const handlerTime = seconds(meter, 'payments.webhook.handler.duration', 'Duration of single handlers.');

  return [
    onPaymentsDiagnostics(WEBHOOK_END_CHANNEL, ({ account, event, source, kind, result, durationMs }) => {
      const attributes = definedFields({
        ...named(account),
        [ATTR.event]: event,
        [ATTR.webhookSource]: source,
        [ATTR.webhookResult]: result,
        [ATTR.webhookKind]: kind,
      });
      webhooks.add(1, attributes);
      time.record(durationMs / 1_000, attributes);
    }),
    onPaymentsDiagnostics(
      WEBHOOK_HANDLER_END_CHANNEL,
      ({ account, event, handler, outcome, error, durationMs }) => {
        const attributes = {
          ...named(account),
          [ATTR.event]: event,
          [ATTR.codeFunction]: handler,
          [ATTR.errorType]: outcome === 'failed' ? (error ?? '_OTHER') : undefined,
        };
        handlerTime.record(durationMs / 1_000, definedFields(attributes));
      },
    ),
    onPaymentsDiagnostics(WEBHOOK_REFUSED_CHANNEL, ({ account, status }) => {
      refusals.add(1, { ...named(account), [ATTR.httpStatus]: status });
    }),
  ];
}

function seconds(meter: Meter, name: string, description: string): Histogram {
  return meter.createHistogram(name, {
    unit: 's',
    description,
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
}
