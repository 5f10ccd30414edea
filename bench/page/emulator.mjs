import { PaymentsSandbox } from 'nestjs-payments/sandbox';

/** An emulator that begins with so many payments. */
export default async function open({ count }) {
  const payments = Array.from({ length: count }, (_, index) => ({
    reference: `order-${String(index).padStart(5, '0')}`,
    amount: '15000.00',
    phone: '255712345678',
  }));
  const sandbox = await PaymentsSandbox.start({ world: { merchants: { demo: { payments } } } });
  return { url: () => `${sandbox.url}/#/payments`, close: () => sandbox.stop() };
}
