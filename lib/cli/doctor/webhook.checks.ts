import { likelyCause } from '../answer-advice.js';
import { exchange, type RequestRecord, isAnswered } from '../http-exchange.js';
import { eventHeaders, type SignatureKind } from '../webhooks/event-headers.js';
import { type Sender } from '../webhooks/signing-options.js';
import { paymentEvent } from '../../testing/payment-event.js';
import { type CheckResult, failed, ok, skipped } from './check.js';

/**
 * An unknown event, so that no handler of a payment runs: the package calls the `unrecognized` handlers, or
 * sets the event aside. Every run sends the same event, so that the package sets it aside once.
 */
const EVENT = {
  ...paymentEvent('doctor.check', { reference: 'doctor.check' }),
  created_at: '2026-01-01T00:00:00.000Z',
};
const NO_ROUTE = 404;
const TIMEOUT_MS = 30_000;

type Bad = 'unsigned' | 'altered' | 'stale';

/** Delivers one good event, and events that the route must refuse. */
export async function webhookChecks(url: URL, sender: Sender): Promise<readonly CheckResult[]> {
  const body = JSON.stringify(EVENT);
  const post = (kind: SignatureKind, sent = body): Promise<RequestRecord> => {
    const headers = eventHeaders(kind, body, sender, { url });
    return exchange(url, { method: 'POST', headers, body: Buffer.from(sent) }, TIMEOUT_MS);
  };
  const good = await post('good');
  const results = [goodCheck(good)];
  if (!isAnswered(good) || good.status === NO_ROUTE) return results;
  results.push(badCheck('unsigned', await post('unsigned')));
  results.push(badCheck('altered', await post('good', body.replace('"1000.00"', '"9000.00"'))));
  results.push(
    sender.signsTime
      ? badCheck('stale', await post('stale'))
      : skipped(
          'Webhook route, stale event',
          'this scheme signs no time, so a caught delivery stays valid',
          'Repeated deliveries are known by their reference; if the gateway signs a time, name it with --timestamp-header.',
        ),
  );
  return results;
}

export function goodCheck(answer: RequestRecord): CheckResult {
  const name = 'Webhook route, good event';
  if (!isAnswered(answer)) {
    return failed(name, `no answer: ${answer.problem}`, 'Start the application, and compare host and port.');
  }
  if (answer.status === 200) return ok(name, `taken in ${answer.durationMs} ms`);
  const cause = likelyCause(answer.status) ?? "look into the application's log";
  return failed(name, `answered ${answer.status} instead of 200`, `Likely: ${cause}.`);
}

export function badCheck(kind: Bad, answer: RequestRecord): CheckResult {
  const name = `Webhook route, ${kind} event`;
  if (!isAnswered(answer)) return failed(name, `no answer: ${answer.problem}`, 'Run the doctor again.');
  const { status } = answer;
  if (status === 401) return ok(name, 'refused with 401');
  if (status < 300) {
    return failed(
      name,
      `taken with ${status}: anyone could report payments`,
      'Verify signatures: @PaymentsWebhook on the route, or @UseGuards(PaymentsWebhookGuard).',
    );
  }
  const cause = likelyCause(status) ?? 'something before the signature check answered';
  return failed(name, `answered ${status} instead of 401`, `Likely: ${cause}.`);
}
