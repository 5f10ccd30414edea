import { Test } from '@nestjs/testing';
import {
  CollectionsService,
  PaymentRejectedError,
  PaymentsValidationError,
} from 'nestjs-payments';
import { FeesService } from './fees.service';

describe('FeesService', () => {
  const mobileMoney = jest.fn();
  const request = {
    pupil: 'S1042',
    term: '2026-1',
    phone: '255712345678',
    parent: 'Asha Mushi',
    email: 'asha@example.com',
  };
  let fees: FeesService;

  beforeEach(async () => {
    mobileMoney.mockReset();
    const module = await Test.createTestingModule({
      providers: [
        FeesService,
        { provide: CollectionsService, useValue: { mobileMoney } },
      ],
    }).compile();
    fees = module.get(FeesService);
  });

  it('writes the fee down before it asks for money', async () => {
    let stateWhenAsked: string | undefined;
    mobileMoney.mockImplementation(({ reference }: { reference: string }) => {
      stateWhenAsked = fees.find(reference)?.state;
      return Promise.resolve({});
    });
    const { reference } = await fees.pay(request);
    expect(stateWhenAsked).toBe('waiting');
    expect(mobileMoney).toHaveBeenCalledWith(
      {
        reference,
        amount: '150000.00',
        phone: '255712345678',
        customer_name: 'Asha Mushi',
        customer_email: 'asha@example.com',
      },
      { deadlineMs: 10_000 },
    );
  });

  it.each([
    [new PaymentRejectedError('INVALID_PHONE', 'no'), 'not paid'],
    [new PaymentRejectedError('HTTP_422', 'no', {}, {}, false), 'waiting'],
    [new PaymentsValidationError({ phone: ['is wrong'] }), 'waiting'],
  ])('throws %s, and the fee is %s', async (error, state) => {
    let reference = '';
    mobileMoney.mockImplementation((sent: { reference: string }) => {
      reference = sent.reference;
      return Promise.reject(error);
    });
    await expect(fees.pay(request)).rejects.toBe(error);
    expect(fees.find(reference)?.state).toBe(state);
  });

  it('asks under the same reference while a fee waits, and under the next one after its end', async () => {
    mobileMoney.mockResolvedValue({});
    const references = async (count: number) => {
      const fee = await Promise.all(
        Array.from({ length: count }, () => fees.pay(request)),
      );
      return fee.map(({ reference }) => reference);
    };
    const [first, second] = await references(2);
    expect(first).toMatch(/^fee-2026-1-S1042-/);
    expect(second).toBe(first);
    fees.settle(first, 'not paid');
    expect(await references(1)).not.toContain(first);
  });

  it('never makes the same reference again after a restart, which forgets the fees', async () => {
    mobileMoney.mockResolvedValue({});
    const { reference } = await fees.pay(request);
    const restarted = new FeesService({
      mobileMoney,
    } as unknown as CollectionsService);
    expect((await restarted.pay(request)).reference).not.toBe(reference);
  });

  it.each(['paid', 'in review'] as const)(
    'asks for nothing once a fee is %s',
    async (state) => {
      mobileMoney.mockResolvedValue({});
      const { reference } = await fees.pay(request);
      fees.settle(reference, state);
      expect(await fees.pay(request)).toMatchObject({ reference, state });
      expect(mobileMoney).toHaveBeenCalledTimes(1);
    },
  );

  it('calls a fee paid only if its own amount was paid', async () => {
    mobileMoney.mockResolvedValue({});
    const { reference } = await fees.pay(request);
    fees.paid(reference, '1.00');
    expect(fees.find(reference)?.state).toBe('in review');
    fees.paid(reference, '150000.00');
    fees.paid(reference, '1.00');
    expect(fees.find(reference)?.state).toBe('paid');
  });

  it.each([
    ['paid', 'not paid', 'paid'],
    ['paid', 'in review', 'paid'],
    ['in review', 'not paid', 'in review'],
    ['in review', 'paid', 'paid'],
    ['not paid', 'paid', 'paid'],
    ['not paid', 'in review', 'in review'],
  ] as const)(
    'a fee that is %s, and then settled as %s, is %s',
    async (first, second, end) => {
      mobileMoney.mockResolvedValue({});
      const { reference } = await fees.pay(request);
      fees.settle(reference, first);
      fees.settle(reference, second);
      expect(fees.find(reference)?.state).toBe(end);
    },
  );

  it('lets the fee wait if an error of another kind says nothing about the money', async () => {
    let reference = '';
    mobileMoney.mockImplementation((sent: { reference: string }) => {
      reference = sent.reference;
      return Promise.reject(new Error('no memory left'));
    });
    await expect(fees.pay(request)).rejects.toThrow('no memory left');
    expect(fees.find(reference)?.state).toBe('waiting');
  });

  it('has the gateway deliver an outcome of an unknown fee again', () => {
    expect(() => fees.settle('fee-0', 'paid')).toThrow('There is no fee fee-0');
  });
});
