/* global TextDecoderStream */
// The few HTTP calls that the demo's story needs.
const PATIENCE_MS = 10_000;

/** @param headers Further ones, such as the password of an office. */
export const read = (url, headers = {}) => call(url, { headers });

export const send = (url, body, headers = {}) =>
  call(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** Decides like a person on the emulator's page. */
export const decide = (emulator, kind, reference, action) =>
  send(`${emulator}/_sandbox/v1/${kind}/${encodeURIComponent(reference)}/${action}`, {});

export async function items(emulator, kind) {
  return (await read(`${emulator}/_sandbox/v1/${kind}`)).items;
}

/** Follows a stream of server-sent events; `next()` resolves to the next one's data, parsed. */
export function follow(url) {
  const events = eventsOf(url);
  return {
    async next() {
      const { value, done } = await events.next();
      if (done) throw new Error(`${new URL(url).pathname} ended`);
      return value;
    },
  };
}

async function* eventsOf(url) {
  const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
  let text = '';
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    const messages = (text + chunk).split('\n\n');
    text = messages.pop();
    for (const message of messages) {
      const data = /^data: (.*)$/m.exec(message)?.[1];
      if (data) yield JSON.parse(data);
    }
  }
}

async function call(url, options) {
  const { pathname } = new URL(url);
  const answer = await fetch(url, { ...options, signal: AbortSignal.timeout(PATIENCE_MS) });
  const body = await answer.json();
  if (answer.ok) return body;
  throw new Error(`${pathname} answered ${answer.status}: ${body.message ?? body.error?.message}`);
}

/** `"18000.00"`, `18000` → exact cents. */
export function cents(amount) {
  const [whole, fraction = ''] = String(amount).split('.');
  return BigInt(whole + fraction.padEnd(2, '0'));
}

/** `"18000.00"` → `TZS 18,000.00` */
export function money(amount) {
  const digits = cents(amount).toString().padStart(3, '0');
  return `TZS ${digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ',')}.${digits.slice(-2)}`;
}
