import { safeVerdict } from '../../webhooks/signature/signature-check.js';
import { parseCommandLine } from '../command-line.js';
import { type Command, type CommandContext, text } from '../command.js';
import { httpAddress } from '../option-values.js';
import { UsageError } from '../usage-error.js';
import { bodyInput } from './body-input.js';
import { deliveryHeaders } from './delivery-headers.js';
import { momentOf } from './moment.js';
import { shownMoments } from './payload-variants.js';
import { signatureHints } from './signature-hints.js';
import { searchSignature } from './signature-search.js';
import { SIGNING_OPTIONS, signingOf } from './signing-options.js';

const OPTIONS = {
  at: text('<time>', 'time to check a signed time against (default: now)'),
  url: text('<url>', 'where it was delivered, for --payload with {url}'),
  ...SIGNING_OPTIONS,
};

/** `nestjs-payments verify` */
export const verifyCommand: Command = {
  name: 'verify',
  synopsis: '-H <name: value> [options] [file]',
  summary: 'check the signature of a delivery that was caught, and say why it fails',
  about: [
    'Checks headers and the exact bytes of a body, from a file or from stdin, as the webhook route would.',
    'If they do not fit, it tries other usual ways of signing and names the one that fits.',
  ].join('\n'),
  options: OPTIONS,
  examples: [
    'verify event.json -H @headers.txt',
    "verify event.json -H 'x-webhook-signature: 5d41…' --encoding base64",
    'verify event.json -H @headers.txt --scheme standard-webhooks --at 2026-01-31T08:00:00Z',
  ],
  run: runVerify,
};

async function runVerify(args: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseCommandLine(args, OPTIONS, { positionals: true });
  const { scheme, keys, secrets } = signingOf(values, context);
  const now = momentOf(values.at);
  const headers = deliveryHeaders(values['http-header'], context.folder);
  if (headers.size === 0)
    throw new UsageError("Which headers came with it? Write -H 'name: value', or -H @file.");
  const body = await bodyInput(positionals, context);
  const { data, paintData } = context.terminal;
  const url = values.url === undefined ? undefined : httpAddress('--url', values.url);
  const webhook = { headers, body, method: 'POST', url: url && url.pathname + url.search };
  const verdict = await safeVerdict(() => scheme.verify(webhook, keys, now));
  if (verdict.ok) {
    data(`${paintData('green', '✔')} The signature is right.`);
    return 0;
  }
  data(`${paintData('red', '✖')} Refused: ${verdict.reason}.`);
  for (const moment of shownMoments(headers)) {
    if (!(await safeVerdict(() => scheme.verify(webhook, keys, moment))).ok) continue;
    data(
      `The signature itself is right: check it with --at ${new Date(moment).toISOString()}, when it was made.`,
    );
    return 1;
  }
  for (const secret of secrets) {
    const found = searchSignature(headers, body, typeof secret === 'string' ? secret : secret.value);
    if (!found) continue;
    signatureHints(found).forEach(data);
    return 1;
  }
  data('No usual way of signing gives it: this body was signed with another secret, or changed on the way.');
  return 1;
}
