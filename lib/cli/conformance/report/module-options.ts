import { REFUSAL_FACTS } from '../../../gateway-profile/facts.js';
import { type GatewayProfile, type WebhookFacts } from '../../../gateway-profile/gateway-profile.js';

/** The documented smallest amount, for which nothing has to be set. */
const SMALLEST_CENTS = 1;
const TOLERANCE_SECONDS = 300;

/** The options of `PaymentsModule` that a profile decides, as TypeScript; undefined: the defaults fit. */
export function moduleOptionsText({ facts, webhooks }: GatewayProfile): string | undefined {
  const refusalCodes = REFUSAL_FACTS.filter((code) => isSuccess(facts[`status of ${code}`]));
  const smallest = facts['smallest amount'] ?? SMALLEST_CENTS;
  const lines = [
    ...(refusalCodes.length > 0 ? [`  refusalCodes: ${listText(refusalCodes)},`] : []),
    ...(smallest > SMALLEST_CENTS ? [`  limits: { collection: { min: '${amountText(smallest)}' } },`] : []),
    ...(webhooks ? webhookLines(webhooks) : []),
  ];
  if (lines.length === 0) return undefined;
  const imports = webhooks
    ? "import { hmac, PaymentsModule } from 'nestjs-payments';"
    : "import { PaymentsModule } from 'nestjs-payments';";
  return [imports, '', 'PaymentsModule.forRoot({', '  // … keys and storage', ...lines, '});'].join('\n');
}

/** A refusal under HTTP 2xx refuses only if its code is listed. */
function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

function webhookLines({ header, algorithm, encoding, prefix, payload, timestamp }: WebhookFacts): string[] {
  const parts = payload === 'body' ? ['body'] : ['timestamp', '.', 'body'];
  const signed = parts.map((part) => (part === '.' ? "{ literal: '.' }" : `'${part}'`)).join(', ');
  return [
    '  webhooks: {',
    '    scheme: hmac({',
    `      header: ${quoted(header)},`,
    `      algorithm: '${algorithm}',`,
    `      encoding: '${encoding}',`,
    ...(prefix === undefined ? [] : [`      prefix: ${quoted(prefix)},`]),
    `      payload: [${signed}],`,
    ...(timestamp
      ? [
          `      timestamp: { header: ${quoted(timestamp.header)}, unit: '${timestamp.unit}', toleranceSeconds: ${TOLERANCE_SECONDS} },`,
        ]
      : []),
    '    }),',
    "    secrets: [process.env.PAYMENTS_WEBHOOK_SECRET ?? ''],",
    '  },',
  ];
}

function listText(words: readonly string[]): string {
  return `[${words.map((word) => `'${word}'`).join(', ')}]`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}

function amountText(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}
