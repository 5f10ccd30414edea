import { NEVER_REFUSALS } from '../../../config/option-defaults.js';
import { type GatewayFacts, REFUSAL_FACTS, type RefusalFact } from '../../../gateway-profile/facts.js';
import { type GatewayProfile, type WebhookFacts } from '../../../gateway-profile/gateway-profile.js';
import { webhooksOptionText } from '../webhooks/scheme-text.js';

/** The documented smallest amount, for which nothing has to be set. */
const SMALLEST_CENTS = 1;

/** The options of `PaymentsModule` that a profile decides, as TypeScript; undefined: the defaults fit. */
export function moduleOptionsText({ facts, webhooks }: GatewayProfile): string | undefined {
  const refusalCodes = REFUSAL_FACTS.filter(
    (code) => isSuccess(facts[`status of ${code}`]) && isRefusal(code, facts),
  );
  const smallest = facts['smallest amount'] ?? SMALLEST_CENTS;
  const lines = [
    ...(refusalCodes.length > 0 ? [`  refusalCodes: ${listText(refusalCodes)},`] : []),
    ...(smallest > SMALLEST_CENTS ? [`  limits: { collection: { min: '${amountText(smallest)}' } },`] : []),
    ...(webhooks ? [`  webhooks: ${webhooksText(webhooks, facts).replaceAll('\n', '\n  ')},`] : []),
  ];
  if (lines.length === 0) return undefined;
  const names = [...(webhooks ? [webhooks.scheme] : []), 'PaymentsModule'];
  const imports = `import { ${names.join(', ')} } from 'nestjs-payments';`;
  return [imports, '', 'PaymentsModule.forRoot({', '  // … keys and storage', ...lines, '});'].join('\n');
}

function webhooksText(webhooks: WebhookFacts, facts: GatewayFacts): string {
  return webhooksOptionText(webhooks, facts['repeated webhook'] === 'as before');
}

/** Money may have moved if the code is about a key or a reference that was used, or can be: then it is not listed. */
function isRefusal(code: RefusalFact, facts: GatewayFacts): boolean {
  if (code !== 'INVALID_REQUEST') return !NEVER_REFUSALS.includes(code);
  const otherBody = facts['repeated key, other body'];
  return otherBody !== undefined && otherBody !== 'INVALID_REQUEST';
}

/** A refusal under HTTP 2xx refuses only if its code is listed. */
function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

function listText(words: readonly string[]): string {
  return `[${words.map((word) => `'${word}'`).join(', ')}]`;
}

function amountText(cents: number): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
}
