import { PaymentsSandbox } from 'nestjs-payments/sandbox';

const [data = '', receiver = ''] = process.argv.slice(2);

/** Runs an emulator over a folder until it is killed. */
const sandbox = await PaymentsSandbox.start({ data, clock: 'manual' });
sandbox.deliverTo(receiver);
process.send?.({ url: sandbox.url, secret: sandbox.webhookSecret });
