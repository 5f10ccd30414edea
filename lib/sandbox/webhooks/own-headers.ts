import { type WebhookScheme } from '../../common/webhook-scheme.js';

type Headers = Readonly<Record<string, string>>;

/** Comes back from a scheme under the name of each header that somebody else has to send. */
const NOT_SENT = 'not sent';

/** The headers of every webhook beside its signature. A scheme may sign them. */
export function ownHeaders(contentType: string): Headers {
  return { 'content-type': contentType, 'user-agent': 'nestjs-payments-sandbox' };
}

/** The headers that a scheme signs and no webhook of the emulator has. Empty if the scheme cannot sign now. */
export function missingHeaders(scheme: WebhookScheme, key: Uint8Array): readonly string[] {
  const own = ownHeaders('application/json');
  const asked = (scheme.requiredHeaders ?? []).filter((name) => !(name in own));
  if (asked.length === 0) return [];
  const headers = { ...own, ...Object.fromEntries(asked.map((name) => [name, NOT_SENT])) };
  try {
    const signed = scheme.sign?.({ body: Buffer.from('{}'), key, now: Date.now(), headers, url: '/' }) ?? {};
    return asked.filter((name) => signed[name] === NOT_SENT);
  } catch {
    // Each delivery says why.
    return [];
  }
}
