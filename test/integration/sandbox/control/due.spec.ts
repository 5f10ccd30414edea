import { beforeEach, describe, expect, it } from 'vitest';
import { type PaymentsSandbox, type SandboxClockState, type SandboxDueEvent } from 'nestjs-payments/sandbox';
import { controlOf } from '../../../support/control-caller.js';
import { callerOf, COLLECTION } from '../../../support/gateway-caller.js';
import { startSandbox } from '../../../support/sandbox.js';
import { startReceiver } from '../../../support/webhook-receiver.js';

type Advanced = SandboxClockState & {
  readonly happened: { readonly count: number; readonly items: readonly SandboxDueEvent[] };
};

describe('the clock of the control API', () => {
  let sandbox: PaymentsSandbox;
  let control: ReturnType<typeof controlOf>;
  let gateway: ReturnType<typeof callerOf>;

  beforeEach(async () => {
    sandbox = await startSandbox({ clock: 'manual', seed: 1 });
    control = controlOf(sandbox);
    gateway = callerOf(sandbox);
  });

  const due = async () => (await control.get<SandboxClockState>('/clock')).body.due.map(inWords);
  const advance = async (by: string) => {
    const { happened } = (await control.post<Advanced>('/clock/advance', { by })).body;
    expect(happened.items).toHaveLength(happened.count);
    return happened.items.map(inWords);
  };

  it('says what falls due, and what has fallen due after a move', async () => {
    const receiver = await startReceiver();
    receiver.answerWith(500, 200);
    sandbox.deliverTo(receiver.url);
    await gateway.collect();
    await gateway.collect({ reference: 'order-2', phone: '255712340002' });
    await gateway.payToBank({ account_number: '0123450002' });
    expect(await due()).toEqual([
      '09:00:02 payment order-2 processing',
      '09:00:30 payment order-2 success',
      '09:10:00 payout salary-1 paid',
      '09:15:00 payment order-1 expired',
      '09:15:00 payment order-2 expired',
    ]);
    await sandbox.customer(COLLECTION.phone).approve('order-1');
    expect(await due()).toContain('09:00:05 delivery order-1 payment.success');
    expect(await due()).not.toContain('09:15:00 payment order-1 expired');
    expect(await advance('10s')).toEqual([
      '09:00:02 payment order-2 processing',
      '09:00:05 delivery order-1 payment.success',
    ]);
    expect(await due()).toEqual([
      '09:00:30 payment order-2 success',
      '09:10:00 payout salary-1 paid',
      '09:15:00 payment order-2 expired',
    ]);
    expect((await control.get('/clock')).body).toMatchObject({ waiting: 3 });
    await receiver.close();
  });

  it('forgets what a reset of the merchant took away', async () => {
    sandbox.deliverTo('http://127.0.0.1:9/hook');
    await gateway.collect();
    await gateway.collect({ reference: 'order-2' });
    await sandbox.customer(COLLECTION.phone).approve('order-2');
    expect(await due()).toHaveLength(2);
    await sandbox.merchant('demo').reset();
    expect(await due()).toEqual([]);
  });

  it('says which answer is held back', async () => {
    sandbox.next('POST /payments/mobile-money').delay('3s');
    const arrived = new Promise<void>((resolve) => {
      sandbox.on('payment', () => {
        resolve();
      });
    });
    const answer = gateway.collect();
    await arrived;
    expect(await due()).toContain('09:00:03 answer order-1 null');
    await advance('3s');
    expect((await answer).status).toBe(200);
  });

  it('shows the next hundred, and counts all', async () => {
    for (let index = 1; index <= 101; index += 1) await gateway.collect({ reference: `order-${index}` });
    const { body } = await control.get<SandboxClockState>('/clock');
    expect([body.waiting, body.due.length]).toEqual([101, 100]);
    const { body: moved } = await control.post<Advanced>('/clock/advance', { by: '15m' });
    expect([moved.happened.count, moved.happened.items.length]).toEqual([101, 100]);
  });

  it('keeps the reason of a decision in the record and in the timeline', async () => {
    await gateway.collect();
    await gateway.payToBank();
    const reason = 'wrong PIN three times';
    expect((await control.post('/payments/order-1/decline', { reason })).body).toMatchObject({ reason });
    expect((await control.post('/payouts/salary-1/fail', { reason })).body).toMatchObject({ reason });
    expect(sandbox.explain('order-1')).toContain('failed (wrong PIN three times), 15000.00 TZS');
    expect(sandbox.explain('salary-1')).toContain('failed (wrong PIN three times), 20000.00 TZS');
    const again = await control.post('/payments/order-1/cancel', { reason: 'another one' });
    expect(again.status).toBe(409);
    expect((await control.get('/payments/order-1')).body).toMatchObject({ reason });
    expect((await control.post('/payments/order-1/approve', { reason })).status).toBe(422);
  });
});

function inWords({ at, what, reference, to }: SandboxDueEvent): string {
  return `${at.slice(11, 19)} ${what} ${reference} ${to}`;
}
