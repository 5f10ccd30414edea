import { type PaymentsSandbox } from 'nestjs-payments/sandbox';

/** Whatever fails inside fails with the whole story of the payment under it. */
export async function withStory<T>(
  gateway: PaymentsSandbox,
  reference: string,
  check: () => T | Promise<T>,
): Promise<T> {
  try {
    return await check();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${message}\n\n${gateway.explain(reference)}`, { cause: error });
  }
}
