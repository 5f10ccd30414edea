import { parseCommandLine } from '../command-line.js';
import { type Command, type CommandContext, text } from '../command.js';
import { httpAddress } from '../option-values.js';
import { UsageError } from '../usage-error.js';
import { bodyInput } from './body-input.js';
import { curlCommand } from './curl.js';
import { eventHeaders } from './event-headers.js';
import { momentOf } from './moment.js';
import { senderOf, SIGNING_OPTIONS } from './signing-options.js';

const OPTIONS = {
  curl: text('<url>', 'print a curl command for sh that delivers it there instead'),
  url: text('<url>', 'where it will be delivered, for --payload with {url}'),
  at: text('<time>', 'time of signing (default: now)'),
  ...SIGNING_OPTIONS,
};

/** `nestjs-payments sign` */
export const signCommand: Command = {
  name: 'sign',
  synopsis: '[options] [file]',
  summary: 'print the headers that sign a body as the gateway would',
  about: 'Signs the exact bytes of a file, or of stdin, and prints the headers of the delivery.',
  options: OPTIONS,
  examples: [
    'sign event.json > headers.txt',
    'sign event.json --curl http://127.0.0.1:3000/webhooks/payments | sh',
    'sign event.json --payload "{timestamp}.{body}" --timestamp-header x-webhook-timestamp',
  ],
  run: runSign,
};

async function runSign(args: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseCommandLine(args, OPTIONS, { positionals: true });
  const sender = senderOf(values, context);
  const now = momentOf(values.at);
  const url = values.curl === undefined ? undefined : httpAddress('--curl', values.curl);
  const signedUrl = values.url === undefined ? url : httpAddress('--url', values.url);
  const body = await bodyInput(positionals, context);
  const headers = eventHeaders('good', body, sender, { now, url: signedUrl });
  const { data } = context.terminal;
  if (url) data(curlCommand(url, headers, curlBody(positionals[0], body)));
  else for (const [name, value] of Object.entries(headers)) data(`${name}: ${value}`);
  return 0;
}

function curlBody(file: string | undefined, body: Buffer): { file: string } | { text: string } {
  if (file !== undefined && file !== '-') return { file };
  const text = body.toString('utf8');
  if (Buffer.from(text).equals(body) && !text.includes('\0')) return { text };
  throw new UsageError('These bytes do not fit on a command line: write them to a file, and name it.');
}
