import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { isBatchName } from '../../../../lib/batches/lines/payout-line.js';
import { paymentReference } from '../../../../lib/batches/batch/payment-reference.js';
import { BankDisbursementDto } from '../../../../lib/disbursements/bank-disbursement.js';
import { missingIdProblem } from '../../../../lib/gateway/validation/field-rules.js';
import { validateRequest } from '../../../../lib/gateway/validation/validate-request.js';
import { bankRequest } from '../../../support/gateway-answers.js';

const OBJECT = 'holds "[object …]", the text of an object: write its id, or await the promise of it';

function missing(word: string, verb = 'holds'): string {
  return `${verb} the text "${word}": the id was missing where it was made`;
}

describe('a reference without the id that it was made for', () => {
  it.each([
    ['undefined', missing('undefined', 'is')],
    ['null', missing('null', 'is')],
    ['NaN', missing('NaN', 'is')],
    ['[object Object]', OBJECT],
    ['[object Promise]', OBJECT],
    ['order-[object Object]-2', OBJECT],
    ['order [object Map]', OBJECT],
    ['order-undefined', missing('undefined')],
    ['order_undefined', missing('undefined')],
    ['order:undefined', missing('undefined')],
    ['order/undefined', missing('undefined')],
    ['order.undefined', missing('undefined')],
    ['order#undefined', missing('undefined')],
    ['order|undefined', missing('undefined')],
    ['Bestellung-ä-undefined', missing('undefined')],
    ['undefined-2', missing('undefined')],
    ['undefined-', missing('undefined')],
    ['shop-undefined-2026-11', missing('undefined')],
    ['undefined-undefined', missing('undefined')],
    ['x7Fq-undefined', missing('undefined')],
    ['order-NaN', missing('NaN')],
    ['Order:NaN', missing('NaN')],
    ['INV-2026-NaN', missing('NaN')],
    ['NaN-2', missing('NaN')],
    ['NaN.NaN', missing('NaN')],
    ['order--NaN', missing('NaN')],
  ])('is %j', (reference, problem) => {
    expect(missingIdProblem(reference)).toBe(problem);
  });

  it.each([
    'order-1',
    '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    'Undefined',
    'UNDEFINED',
    'undefineds',
    'undefined1',
    'order-undefinedX',
    'xundefined',
    'undefined-behaviour-17',
    'shop-undefined-term-3',
    'undefined behaviour',
    'a book about undefined',
    'Null',
    'order-null',
    'null-1',
    'nullable',
    'nan',
    'Nan-1',
    'NAN-1',
    'NaNa',
    'order-NaN7',
    // Random ids that hold it by chance.
    'V1StGXR8_Z5jdHi6B-NaN',
    'x7-NaN',
    'aB-NaN',
    'NaN_4kQ2p',
    'Infinity',
    'true',
    'object Object',
    '[object]',
    '[object ]',
    '[Object Object]',
  ])('is not %j', (reference) => {
    expect(missingIdProblem(reference)).toBeUndefined();
  });

  it('is refused before a payment, without white space being taken off', () => {
    const errorsOf = (reference: string): unknown => {
      try {
        return validateRequest(BankDisbursementDto, { ...bankRequest, reference }, 'disbursement.bank');
      } catch (error) {
        return (error as { errors: unknown }).errors;
      }
    };
    expect(errorsOf('undefined')).toEqual({ reference: [`reference ${missing('undefined', 'is')}`] });
    expect(errorsOf(' undefined')).toEqual({
      reference: [expect.stringContaining('must not begin or end with white space')],
    });
  });

  it('is never made of a batch and a line that were taken', () => {
    const name = fc
      .array(fc.constantFrom('undefined', 'null', 'NaN', 'a', 'A', '1', '-', '_', 'b7'), { minLength: 1 })
      .map((parts) => parts.join(''))
      .filter(isBatchName);
    let refused = 0;
    fc.assert(
      fc.property(name, name, (batch, key) => {
        const problem = missingIdProblem(paymentReference(batch, key));
        if (problem === undefined) return;
        refused += 1;
        expect([missingIdProblem(batch), missingIdProblem(key)]).not.toEqual([undefined, undefined]);
      }),
      { numRuns: 2_000 },
    );
    expect(refused).toBeGreaterThan(50);
  });
});
