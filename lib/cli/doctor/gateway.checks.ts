import { type ResolvedCredentials } from '../../config/resolve-credentials.js';
import { classifyAnswer } from '../../gateway/answer/classify-answer.js';
import { type GatewayErrorBody, type ParsedAnswer, parseAnswer } from '../../gateway/answer/parse-answer.js';
import { redactText } from '../../gateway/answer/safe-texts.js';
import { parseRetryAfter } from '../../gateway/wait-before-try.js';
import { readBalance } from '../../wallet/read-balance.js';
import {
  type Answered,
  exchange,
  type RequestRecord,
  type ExchangeStep,
  isAnswered,
} from '../http-exchange.js';
import { type CheckResult, failed, ok, skipped } from './check.js';

const TIMEOUT_MS = 10_000;
/** Far below the usual tolerance of schemes with a signed time (300 s), and far above network delays. */
const MAX_SKEW_MS = 30_000;
const LONGEST_CODE = 64;
const TAKE_AGAIN =
  "Take the pair from the gateway's portal again, for the environment of this address; --auth bearer for keys sent as a bearer token.";
const LET_IN =
  "the gateway's support whether an allow-list of IP addresses or a firewall keeps the address of this machine out, and compare PAYMENTS_BASE_URL";

const STEPS: Readonly<Record<ExchangeStep, readonly [name: string, fix: string]>> = {
  lookup: [
    'DNS',
    'Compare the host name of PAYMENTS_BASE_URL, and try it with nslookup: the network may have no DNS.',
  ],
  connect: [
    'connecting',
    'Compare host and port of PAYMENTS_BASE_URL; a firewall or a proxy may be in the way.',
  ],
  tls: [
    'TLS',
    'Compare https:// and the port of PAYMENTS_BASE_URL; a private authority needs NODE_EXTRA_CA_CERTS=<file>.',
  ],
  answer: ['HTTP', 'Something listens there but does not answer: is it the gateway?'],
};

/** Reads the balance once, like the package, and checks the answer. */
export async function gatewayChecks(credentials: ResolvedCredentials): Promise<readonly CheckResult[]> {
  const url = new URL(`${credentials.baseUrl}/merchant-balance`);
  const asked = Date.now();
  const answer = await exchange(url, { method: 'GET', headers: headersOf(credentials) }, TIMEOUT_MS);
  return [
    reachabilityCheck(url, answer),
    ...(isAnswered(answer) ? [keyCheck(answer), clockCheck(answer, asked, Date.now())] : []),
  ];
}

function headersOf({ apiKey, apiSecret, auth }: ResolvedCredentials): Record<string, string> {
  const accept = { accept: 'application/json' };
  if (auth === 'bearer') return { ...accept, authorization: `Bearer ${apiKey()}` };
  return { ...accept, 'x-api-key': apiKey(), 'x-api-secret': apiSecret() ?? '' };
}

export function reachabilityCheck({ host, protocol }: URL, answer: RequestRecord): CheckResult {
  if (!isAnswered(answer)) {
    const [name, fix] = STEPS[answer.step];
    return failed('Gateway', `${name} failed: ${answer.problem}`, fix);
  }
  const ways = protocol === 'https:' ? 'TCP, TLS and HTTP' : 'TCP and HTTP';
  return ok('Gateway', `${host} answers over ${ways} in ${answer.durationMs} ms`);
}

/** Judges the answer as the package does: an error may come with HTTP 200, so the code in the body comes first. */
export function keyCheck({ status, headers, text }: Omit<Answered, 'durationMs'>): CheckResult {
  const name = 'Keys at the gateway';
  const answer = parseAnswer(text, {
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
  });
  const event = classifyAnswer('read', status, answer, new Set());
  if (event === 'success' && answer.shape === 'success' && readBalance(answer.envelope.data))
    return ok(name, 'taken (the balance could be read)');
  const before = answeredBefore(status, answer);
  if (before) return failed(name, ...before);
  const code = codeIn(answer);
  if (event === 'unauthorized' || status === 401 || status === 403) {
    return failed(
      name,
      status === 401 || status === 403
        ? `refused with ${status}`
        : `refused with the code ${code} under HTTP ${status}`,
      TAKE_AGAIN,
    );
  }
  if (status === 429)
    return failed(
      name,
      'answered 429: too many calls',
      `Wait ${askedWait(headers)}, and run it again: the keys were not judged.`,
    );
  if (status >= 500)
    return failed(
      name,
      `answered ${status}: the gateway fails`,
      "Run it again later, or ask the gateway's support: the keys were not judged.",
    );
  if (code !== '') {
    return failed(
      name,
      `answered ${status} with the code ${code}`,
      "Look the code up in the gateway's documents, or ask its support: nobody knows whether the keys were taken.",
    );
  }
  const seen =
    status === 200 ? 'answered 200 without a balance' : `answered ${status} to GET /merchant-balance`;
  return failed(
    name,
    seen,
    'Compare PAYMENTS_BASE_URL with the address that the gateway gave: is this the gateway?',
  );
}

/** How long a 429 asks to wait; a minute if it does not say. */
function askedWait({ 'retry-after': retryAfter, date }: Answered['headers']): string {
  const waitMs = parseRetryAfter({ retryAfter, date }, Date.now());
  return waitMs === undefined ? 'a minute' : `${Math.ceil(waitMs / 1_000)} seconds`;
}

/**
 * What to say of an answer that the gateway did not give, or may not have given: its errors have a code or messages
 * by field, and `{ message }` alone is also what an API gateway or a firewall answers.
 */
function answeredBefore(
  status: number,
  answer: ParsedAnswer,
): readonly [detail: string, fix: string] | undefined {
  if (status === 407) {
    return [
      'answered 407: a proxy on the way wants a login',
      'Let this machine reach the gateway without the proxy, or give its address and its login to the agent in the option `http`: the keys were not judged.',
    ];
  }
  if (status !== 401 && status !== 403) return undefined;
  if (answer.shape === 'unreadable') {
    return [
      `answered ${status} without an error of the gateway: something before it answered`,
      `Ask ${LET_IN}: the keys were not judged.`,
    ];
  }
  if (answer.shape !== 'error' || answer.error.code !== undefined || hasMessages(answer.error)) {
    return undefined;
  }
  return [
    `answered ${status} without a code of the gateway: it refused the keys, or something before it answered`,
    `${TAKE_AGAIN}\nIf the pair is right, ask ${LET_IN}.`,
  ];
}

function hasMessages({ errors }: GatewayErrorBody): boolean {
  return Object.keys(errors).length > 0;
}

/** The code of an error, as far as it can be shown: a gateway may repeat a key in it. Empty if there is none. */
function codeIn(answer: ParsedAnswer): string {
  if (answer.shape !== 'error') return '';
  return redactText(answer.error.code ?? '', []).slice(0, LONGEST_CODE);
}

/** Compares this clock with the `Date` of the answer, which the gateway wrote between `asked` and `heard`. */
export function clockCheck(
  { headers: { date, 'x-sandbox-rule': emulator } }: Pick<Answered, 'headers'>,
  asked: number,
  heard: number,
): CheckResult {
  const written = Date.parse(date ?? '');
  if (Number.isNaN(written)) {
    return skipped('Clock', 'the answer has no Date header', 'Compare it with timedatectl status.');
  }
  // The header holds whole seconds.
  const skewMs = Math.max(0, asked - (written + 1_000), written - heard);
  const seconds = Math.round(skewMs / 1_000);
  if (skewMs <= MAX_SKEW_MS) return ok('Clock', `within ${Math.max(1, seconds)} s of the gateway's`);
  if (emulator !== undefined) {
    return skipped(
      'Clock',
      `the emulator has a clock of its own, ${seconds} s away`,
      'Compare it with timedatectl status.',
    );
  }
  const side = written > heard ? 'behind' : 'ahead of';
  return failed(
    'Clock',
    `${seconds} s ${side} the gateway's`,
    'Synchronise it (timedatectl set-ntp true): signed webhooks would be too old or too new.',
  );
}
