import { type PaymentsSandbox } from 'nestjs-payments/sandbox';
import { callerOf } from './gateway-caller.js';
import { startSandbox } from './sandbox.js';
import { startReceiver, type WebhookReceiver } from './webhook-receiver.js';

/** The emulator on a manual clock, a merchant that calls it, and where its webhooks go. */
export interface SandboxStage {
  readonly sandbox: PaymentsSandbox;
  readonly gateway: ReturnType<typeof callerOf>;
  readonly receiver: WebhookReceiver;
  close(): Promise<void>;
}

export async function setSandboxStage(): Promise<SandboxStage> {
  const sandbox = await startSandbox({ clock: 'manual' });
  const receiver = await startReceiver();
  sandbox.deliverTo(receiver.url);
  const close = async (): Promise<void> => {
    await sandbox.stop();
    await receiver.close();
  };
  return { sandbox, gateway: callerOf(sandbox), receiver, close };
}
