import { PaymentsSandbox } from 'nestjs-payments/sandbox';

/** An emulator with money for any batch, which has a holder for every account. */
export default async function open() {
  const sandbox = await PaymentsSandbox.start({ startingBalance: '100000000000' });
  const { baseUrl, apiKey, apiSecret } = sandbox.moduleOptions();
  return { keys: () => ({ baseUrl, apiKey, apiSecret }), close: () => sandbox.stop() };
}
