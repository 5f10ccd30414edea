import { describe, expect, it } from 'vitest';
import { normalizeTzPhone } from 'nestjs-payments';
import { TZ_PHONE } from '../../../lib/common/phone.js';

describe('normalizeTzPhone', () => {
  it.each([
    ['0712345678'],
    ['0712 345 678'],
    ['0712-345-678'],
    ['(0712) 345.678'],
    ['255712345678'],
    ['+255712345678'],
    ['+255 712 345 678'],
    ['+255\u00a0712\u2011345\u2013678'],
    ['00255712345678'],
    ['+255 (0) 712 345 678'],
    ['2550712345678'],
    [' 0712345678\n'],
    ['0712.345.678'],
    ['\u202a+255 712 345 678\u202c'],
  ])('reads %j', (written) => {
    expect(normalizeTzPhone(written)).toBe('255712345678');
  });

  it.each([
    ['0612345678', '255612345678'],
    ['+255 22 211 1111', '255222111111'],
    ['0712.34.56.00', '255712345600'],
    ['0712.345000', '255712345000'],
    ['255712345670.', '255712345670'],
  ])('reads %j as %s', (written, phone) => {
    expect(normalizeTzPhone(written)).toBe(phone);
    expect(phone).toMatch(TZ_PHONE);
  });

  it.each(['2557123456789', '25571234567', '+255712345678', '0712345678', '255712345678\n', 'a255712345678'])(
    'does not take %j for what the gateway wants',
    (phone) => {
      expect(phone).not.toMatch(TZ_PHONE);
    },
  );

  it.each([
    ['nothing', ''],
    ['nine digits alone', '712345678'],
    ['a local number that is not mobile', '0222111111'],
    ['a digit too few', '071234567'],
    ['a digit too many', '07123456789'],
    ['a digit too few after the country', '25571234567'],
    ['a local number that lost a digit', '255071234567'],
    ['a digit too many after the country', '2557123456789'],
    // The zeros behind the point would take the place of the digits that are missing.
    ['a decimal with a digit too few', '071234567.0'],
    ['a decimal with a digit too few after the country', '25571234567.0'],
    ['a decimal with two digits too few', '+2557123456.00'],
    ['a decimal with a local number that lost a digit', '255071234567.0'],
    ['a decimal with separators', ' 0712 345-67.0\u202c\n'],
    ['a decimal with all its digits', '255712345678.0'],
    ['another country', '+254712345678'],
    ['a plus sign before a local number', '+0712345678'],
    ['two plus signs', '++255712345678'],
    ['letters', '07I2345678'],
    ['digits of another script', '٠٧١٢٣٤٥٦٧٨'],
    ['two numbers', '0712345678/0713345678'],
    ['a number', 712345678],
    ['null', null],
    ['undefined', undefined],
  ])('refuses %s', (_, written) => {
    expect(normalizeTzPhone(written)).toBeUndefined();
  });
});
