import { PaymentsSandbox } from '../../sandbox/payments-sandbox.js';
import { type Terminal } from '../terminal.js';
import { deliveryData, deliveryLines, requestData, requestLines } from './event-lines.js';
import { type SandboxArguments } from './sandbox-arguments.js';

/**
 * Starts the emulator, and prints how to repeat the run if it varies its answers, and why it stopped keeping its state.
 *
 * @throws PaymentsConfigError if the port is taken.
 * @throws UsageError if the emulator refuses something in the seed file.
 */
export async function startSandbox(
  { options, forwardTo, seedFile }: SandboxArguments,
  { say, paint }: Terminal,
): Promise<PaymentsSandbox> {
  const starting = PaymentsSandbox.start(options);
  const sandbox = await (seedFile?.explain(starting) ?? starting);
  void sandbox.failed?.then(({ message }) => {
    say(paint('red', message));
  });
  // Nothing is awaited before this: what was due in the folder of --data goes to this address too.
  if (forwardTo) sandbox.deliverTo(forwardTo);
  const again = `repeat this run with --profile adversarial --seed ${sandbox.seed}`;
  if (options.profile === 'adversarial') say(paint('yellow', `Answers and webhooks vary: ${again}`));
  if (typeof options.profile === 'object')
    say(
      paint('yellow', `Answers are those of the gateway that was observed at ${options.profile.observedAt}.`),
    );
  return sandbox;
}

/** Prints every call and every delivery for a person, in two lines each. */
export function logEvents(sandbox: PaymentsSandbox, { say, paint }: Terminal): void {
  sandbox.on('exchange', ({ request }) => {
    requestLines(request, paint).forEach(say);
  });
  sandbox.on('delivery', (delivery) => {
    const { merchant, event } = delivery;
    deliveryLines(delivery, paint, sandbox.endpoints.whyUnsent(merchant, event)).forEach(say);
  });
}

/** Prints every call and every delivery for a script, as one line of JSON each. */
export function printEvents(sandbox: PaymentsSandbox, { data }: Terminal): void {
  sandbox.on('exchange', ({ request }) => {
    data(JSON.stringify(requestData(request)));
  });
  sandbox.on('delivery', (delivery) => {
    data(JSON.stringify(deliveryData(delivery)));
  });
}
