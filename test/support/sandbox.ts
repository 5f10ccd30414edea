import { afterAll, afterEach } from 'vitest';
import { PaymentsSandbox, type PaymentsSandboxOptions } from 'nestjs-payments/sandbox';
import { answerProblems, webhookProblems } from './gateway-contract.js';

const running = new Set<PaymentsSandbox>();
const violations: string[] = [];

/**
 * Starts an emulator for a spec. It is stopped after the spec's file, if the spec did not; and a test in which one
 * answer or webhook of the documented profile contradicted `gateway.yaml` fails.
 */
export async function startSandbox(options: PaymentsSandboxOptions = {}): Promise<PaymentsSandbox> {
  const sandbox = await PaymentsSandbox.start(options);
  running.add(sandbox);
  // The other profiles stray from the document on purpose.
  if ((options.profile ?? 'documented') !== 'documented') return sandbox;
  sandbox.on('exchange', (exchange) => violations.push(...answerProblems(exchange)));
  sandbox.on('delivery', ({ body }) => violations.push(...webhookProblems(body)));
  return sandbox;
}

/** Throws what contradicted the document since the last call. */
export function checkContract(): void {
  const found = violations.splice(0);
  if (found.length > 0) throw new Error(`The emulator broke its own contract:\n${found.join('\n')}`);
}

afterEach(checkContract);

afterAll(async () => {
  await Promise.all([...running].map((sandbox) => sandbox.stop()));
  running.clear();
  checkContract();
});
