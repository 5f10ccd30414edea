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
  const asked = (scheme.requiredHeaders ?? []).filter((name) => !Object.hasOwn(own, name));
  if (asked.length === 0) return [];
  const signed = (headers: Headers): Headers => {
    try {
      return scheme.sign?.({ body: Buffer.from('{}'), key, now: Date.now(), headers, url: '/' }) ?? {};
    } catch {
      // Each delivery says why.
      return {};
    }
  };
  const alone = signed(own);
  const missing = asked.filter((name) => alone[name] === undefined);
  const given = signed({ ...own, ...Object.fromEntries(missing.map((name) => [name, NOT_SENT])) });
  return missing.filter((name) => given[name] === NOT_SENT);
}
