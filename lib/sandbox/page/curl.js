const quoted = (value) => `'${value.replaceAll("'", `'\\''`)}'`;

/** What curl writes by itself. */
const OWN_HEADERS = [
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'user-agent',
];

const KEY = 'idempotency-key';
/** The characters of a reference that leave room for new ones: the gateway takes 255. */
const LONGEST = 200;

function command(method, headers, body, url) {
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const sent = body === undefined ? [] : [`--data-raw ${quoted(body)}`];
  const verb = method === (body === undefined ? 'GET' : 'POST') ? '' : ` -X ${method}`;
  return [`curl -i${verb}`, ...lines, ...sent, quoted(url)].join(' \\\n  ');
}

/** The shell command that repeats a webhook's last try byte for byte. */
export function curlOf({ url, body, attempts }) {
  const last = attempts.findLast(({ request_headers: sent }) => Object.keys(sent).length > 0);
  return command('POST', last?.request_headers ?? {}, body, last?.url ?? url ?? '<url>');
}

/**
 * The shell command that repeats a call of the gateway. Its keys are whole again: the merchant's name gives
 * them.
 */
export function curlOfRequest({ method, path, headers, body, merchant }, origin) {
  const keys = { 'x-api-key': `pk_test_${merchant}`, 'x-api-secret': `sk_test_${merchant}` };
  const restored = merchant === null ? {} : { ...keys, authorization: `Bearer ${keys['x-api-key']}` };
  const shown = Object.entries(headers).filter(([name]) => !OWN_HEADERS.includes(name));
  const sent = Object.fromEntries(shown.map(([name, value]) => [name, restored[name] ?? value]));
  const words = typeof body === 'string' ? body : JSON.stringify(body);
  return command(method, sent, body === null ? undefined : words, `${origin}${path}`);
}

/**
 * The call with a new key and reference, so that the gateway takes it for another payment. The call itself if it has
 * neither.
 */
export function renewed(request, id) {
  const { headers, body } = request;
  const hasReference = typeof body?.reference === 'string';
  return {
    ...request,
    headers: KEY in headers ? { ...headers, [KEY]: id } : headers,
    body: hasReference ? { ...body, reference: `${body.reference.slice(0, LONGEST)}-${id}` } : body,
  };
}

/** The shell command that asks for a payment. A pasted command works again and again: its key and reference change. */
export function curlOfPayment({ base_url: base, api_key: key, api_secret: secret }, payment) {
  const fields = { ...payment, reference: 'REFERENCE' };
  const body = quoted(JSON.stringify(fields)).replace('REFERENCE', `order-'"$id"'`);
  const headers = { 'x-api-key': key, 'x-api-secret': secret, 'content-type': 'application/json' };
  return [
    // POSIX has no $RANDOM.
    "id=$(od -An -N6 -tx1 /dev/urandom | tr -d ' \\n')\ncurl -i",
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    '-H "idempotency-key: $id"',
    `-d ${body}`,
    quoted(`${base}/payments/mobile-money`),
  ].join(' \\\n  ');
}
