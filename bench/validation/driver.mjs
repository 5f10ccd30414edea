import 'reflect-metadata';
import { isDeepStrictEqual } from 'node:util';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { paymentOf } from '../calls/request.mjs';

// The check is no export of the package: both come from the compiled files that the build joins.
const compiled = new URL('../node_modules/nestjs-payments/dist/modules/', import.meta.url);
const { MobileMoneyCollectionDto } = await import(new URL('collections/collection.dto.js', compiled));
const { validateRequest } = await import(new URL('gateway/validation/validate-request.js', compiled));

const RULES = { whitelist: true, forbidNonWhitelisted: true };
const BAD_VALUES = [
  undefined,
  null,
  '',
  ' ',
  0,
  -1,
  NaN,
  'x',
  '0.001',
  [],
  {},
  { at: new Date() },
  '255',
  true,
];

const ours = (request) => validateRequest(MobileMoneyCollectionDto, request, 'collection.mobile-money');
const WAYS = {
  'nestjs-payments': ours,
  'plainToInstance + validateSync': (request) => {
    const problems = validateSync(plainToInstance(MobileMoneyCollectionDto, request), RULES);
    if (problems.length > 0) throw new Error('a good request was refused');
  },
  'validateSync alone': (request) => {
    const problems = validateSync(Object.assign(new MobileMoneyCollectionDto(), request), RULES);
    if (problems.length > 0) throw new Error('a good request was refused');
  },
};

export default function open() {
  return {
    check(name, times) {
      for (let index = 0; index < times; index += 1) WAYS[name](paymentOf(`order-${index}`));
    },
    /** How many bad requests the two ways complain about in other words. */
    differentMessages: () =>
      badRequests().filter(
        (request) => !isDeepStrictEqual(problemsOfOurs(request), problemsOfClassic(request)),
      ).length,
  };
}

function badRequests() {
  const good = paymentOf('order-1');
  return Object.keys(good).flatMap((field) => BAD_VALUES.map((value) => ({ ...good, [field]: value })));
}

function problemsOfOurs(request) {
  try {
    ours(request);
    return {};
  } catch (error) {
    return error.errors;
  }
}

function problemsOfClassic(request) {
  const dto = Object.assign(new MobileMoneyCollectionDto(), request);
  const problems = validateSync(dto, RULES);
  return Object.fromEntries(
    problems.map(({ property, constraints }) => [property, Object.values(constraints)]),
  );
}
