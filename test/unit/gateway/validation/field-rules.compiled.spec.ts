import { describe, expect, it } from 'vitest';
import { validateSync } from 'class-validator';
import fc from 'fast-check';
import {
  MobileMoneyCollectionDto,
  PartnerWalletCollectionDto,
} from '../../../../lib/collections/collection.dto.js';
import { compileRules, passes } from '../../../../lib/gateway/validation/field-rules.js';
import { BankDisbursementDto } from '../../../../lib/disbursements/bank-disbursement.js';
import { MobileMoneyDisbursementDto } from '../../../../lib/disbursements/mobile-money-disbursement.js';
import { NameLookupDto } from '../../../../lib/name-lookup/name-lookup.dto.js';
import { anyCodePoint } from '../../../support/any-code-point.js';
import { bankRequest, collectionRequest, mobileRequest } from '../../../support/gateway-answers.js';

const REQUESTS: readonly (readonly [type: new () => object, good: Readonly<Record<string, unknown>>])[] = [
  [MobileMoneyCollectionDto, { ...collectionRequest, currency: 'TZS', metadata: { basket: 17 } }],
  [PartnerWalletCollectionDto, collectionRequest],
  [BankDisbursementDto, bankRequest],
  [MobileMoneyDisbursementDto, mobileRequest],
  [NameLookupDto, { channel: 'BANK', account_number: '015', bank_code: 'ABC' }],
];

/** Values that one rule or another takes, or nearly. */
const likely = fc.oneof(
  fc.constantFrom(
    '255712345678',
    '255',
    'a@example.com',
    'a@b',
    'TZS',
    'NET_ONE',
    'BANK',
    'PARTNERPESA',
    '0',
    '-1',
  ),
  fc.emailAddress(),
  fc.double(),
  fc.bigInt(),
  fc.integer().map((cents) => (cents / 100).toString()),
  fc.string({ unit: anyCodePoint }),
  fc.string({ maxLength: 300 }),
  fc.dictionary(fc.string(), fc.jsonValue()),
  fc.constantFrom(undefined, null, true, [], new Date(0), Number.NaN, Promise.resolve()),
);

/** A good request in which some fields are others, missing or new. */
function requestLike(good: Readonly<Record<string, unknown>>): fc.Arbitrary<Record<string, unknown>> {
  const field = fc.oneof(
    fc.constantFrom(...Object.keys(good)),
    fc.constantFrom('currency', 'metadata', 'extra'),
  );
  const changes = fc.uniqueArray(fc.tuple(field, fc.oneof(likely, fc.anything())), {
    maxLength: 3,
    selector: ([name]) => name,
  });
  return changes.map((changed) => ({ ...good, ...Object.fromEntries(changed) }));
}

for (const [type, good] of REQUESTS) {
  describe(`the compiled rules of ${type.name}`, () => {
    it('say what class-validator says, of thousands of requests', () => {
      const rules = compileRules(type)!;
      const verdicts = { passed: 0, refused: 0 };
      fc.assert(
        fc.property(requestLike(good), (request) => {
          const dto = Object.assign(new type(), request);
          const problems = validateSync(dto, { whitelist: true, forbidNonWhitelisted: true });
          const passed = passes(rules, dto);
          verdicts[passed ? 'passed' : 'refused'] += 1;
          expect(passed).toBe(problems.length === 0);
        }),
        { numRuns: 3_000 },
      );
      // Neither verdict alone would show anything.
      expect(Math.min(verdicts.passed, verdicts.refused)).toBeGreaterThan(100);
    });
  });
}
