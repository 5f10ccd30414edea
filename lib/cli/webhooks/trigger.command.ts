import { randomInt, randomUUID } from 'node:crypto';
import { PAYMENT_EVENT_NAMES } from '../../common/events.js';
import { Choices } from '../../sandbox/profile/choices.js';
import { paymentEvent } from '../../testing/payment-event.js';
import { didYouMean } from '../../common/closest-word.js';
import { printable } from '../../common/printable.js';
import { parseCommandLine } from '../command-line.js';
import { type Command, type CommandContext, flag, text, texts } from '../command.js';
import { exchange } from '../http-exchange.js';
import { httpAddress, wholeNumber } from '../option-values.js';
import { UsageError } from '../usage-error.js';
import { eventData } from './event-data.js';
import { eventHeaders, type SignatureKind } from './event-headers.js';
import { senderOf, SIGNING_OPTIONS } from './signing-options.js';
import { isAsExpected, triggerData, triggerLines, type Delivered } from './trigger-log.js';

const OPTIONS = {
  to: text('<url>', 'the webhook route, such as http://127.0.0.1:3000/webhooks/payments'),
  data: {
    ...texts(
      '<name=text>',
      'field of data, as often as needed: amount=100.00, metadata.order=7, channel:=null',
    ),
    short: 'd',
  },
  repeat: text('<number>', 'deliver each event so often, byte for byte the same'),
  shuffle: flag('deliver in a random order'),
  stale: flag('sign with a time of yesterday: has to be refused'),
  forged: flag('sign with another secret: has to be refused'),
  unsigned: flag('send no signature: has to be refused'),
  json: flag('print every answer as one line of JSON'),
  ...SIGNING_OPTIONS,
};

/** `nestjs-payments trigger` */
export const triggerCommand: Command = {
  name: 'trigger',
  synopsis: '<event…> --to <url> [options]',
  summary: 'deliver webhooks to an application without any payment',
  about: [
    `Events: ${PAYMENT_EVENT_NAMES.join(', ')}, or any other name for one that the package does not know.`,
    'All events of one run are about one made-up payment. The exit code is 1 unless every answer was 200, or 401 with',
    '--stale, --forged or --unsigned.',
  ].join('\n'),
  options: OPTIONS,
  examples: [
    'trigger payment.success --to http://127.0.0.1:3000/webhooks/payments -d reference=order-1 -d amount=100.00',
    'trigger payment.success payment.failed --repeat 2 --shuffle --to http://127.0.0.1:3000/webhooks/payments',
    'trigger payment.success --forged --to http://127.0.0.1:3000/webhooks/payments',
  ],
  run: runTrigger,
};

async function runTrigger(args: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals: names } = parseCommandLine(args, OPTIONS, { positionals: true });
  if (names.length === 0) throw new UsageError(`Which event? Write for example ${PAYMENT_EVENT_NAMES[0]}.`);
  if (values.to === undefined) throw new UsageError('Where to? Write --to <url> of the webhook route.');
  const url = httpAddress('--to', values.to);
  const repeat = wholeNumber('--repeat', values.repeat, [1, 10_000]) ?? 1;
  const kind = signatureKind(values);
  const sender = senderOf(values, context);
  const data: Readonly<Record<string, unknown>> = {
    reference: `order-${randomUUID()}`,
    ...eventData(values.data ?? []),
  };
  const reference = shown(data['reference']);
  const { terminal } = context;
  names.forEach((name) => {
    noteUnknown(name, context);
  });

  const events = names.map((name) => ({ name, body: JSON.stringify(paymentEvent(name, data)) }));
  const deliveries = events.flatMap((event) => Array.from({ length: repeat }, () => event));
  let asExpected = true;
  for (const { name, body } of values.shuffle ? inAnyOrder(deliveries) : deliveries) {
    const headers = eventHeaders(kind, body, sender, { url });
    const answer = await exchange(url, { method: 'POST', headers, body: Buffer.from(body) });
    const delivered: Delivered = { event: name, reference, url, kind, answer };
    asExpected &&= isAsExpected(delivered);
    if (values.json) terminal.data(JSON.stringify(triggerData(delivered)));
    else triggerLines(delivered, terminal.paintData).forEach(terminal.data);
  }
  return asExpected ? 0 : 1;
}

function inAnyOrder<Item>(items: readonly Item[]): readonly Item[] {
  return new Choices(randomInt(2 ** 32), 'deliveries').shuffled(items);
}

/** Tests may send anything as a reference. */
function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function signatureKind(values: Partial<Record<SignatureKind, boolean>>): SignatureKind {
  const [kind = 'good', ...others] = (['stale', 'forged', 'unsigned'] as const).filter(
    (name) => values[name],
  );
  if (others.length > 0) throw new UsageError('Write only one of --stale, --forged and --unsigned.');
  return kind;
}

function noteUnknown(name: string, { terminal: { say, paint } }: CommandContext): void {
  if (PAYMENT_EVENT_NAMES.some((known) => known === name)) return;
  const hint = didYouMean(name, PAYMENT_EVENT_NAMES);
  say(
    paint(
      'yellow',
      `${printable(name)} is none of the four events: handlers of 'unrecognized' get it.${hint}`,
    ),
  );
}
