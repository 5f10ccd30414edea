import { PaymentsSandbox } from 'nestjs-payments/sandbox';

const [data = '', receiver = ''] = process.argv.slice(2);

/** Runs an emulator over a folder until it is killed, or another one has taken the folder over. */
const sandbox = await PaymentsSandbox.start({ data, clock: 'manual' });
sandbox.deliverTo(receiver);
void sandbox.failed?.then(() => process.exit(1));
process.send?.({ url: sandbox.url, secret: sandbox.webhookSecret });
