import { describe, expect, it } from 'vitest';
import { BankRegistry, codesOf, SANDBOX_BANKS } from '../../../../lib/sandbox/core/banks.js';
import { resolvedFacts } from '../../../../lib/gateway-profile/resolved-facts.js';

describe("the emulator's banks", () => {
  it('are as many as the specification counts, each with a name and an id of its own', () => {
    expect(SANDBOX_BANKS).toHaveLength(37);
    expect(new Set(SANDBOX_BANKS.map(({ name }) => name)).size).toBe(37);
    expect(SANDBOX_BANKS.map(({ id }) => id)).toEqual([...Array(37).keys()].map((index) => index + 1));
  });

  it('have two spellings of a code, and no code means two banks', () => {
    const codes = SANDBOX_BANKS.flatMap(codesOf);
    expect(codes).toHaveLength(74);
    expect(new Set(codes).size).toBe(74);
    for (const { name, code, long_code } of SANDBOX_BANKS) {
      expect([name, code]).toEqual([name, expect.stringMatching(/^[A-Z]{3,4}$/)]);
      expect([name, long_code]).toEqual([name, expect.stringMatching(/^[A-Z]+(_[A-Z]+)+$/)]);
      expect(long_code!.length).toBeGreaterThan(code.length);
    }
  });

  it.each([
    ['PWMB', 'Partner Wallet Microfinance Bank'],
    ['PARTNER_WALLET_MICROFINANCE', 'Partner Wallet Microfinance Bank'],
    ['BSB', 'Baobab Savings Bank'],
    ['BAOBAB_SAVINGS', 'Baobab Savings Bank'],
  ])('are found by %s', (code, name) => {
    expect(new BankRegistry(resolvedFacts({})).findOrRefuse(code, 'INVALID_BANK')).toMatchObject({ name });
  });

  it.each(['', 'bsb', 'BAOBAB', 'undefined'])('are not found by %j', (code) => {
    expect(new BankRegistry(resolvedFacts({})).findOrRefuse(code, 'INVALID_BANK')).toMatchObject({
      body: { code: 'INVALID_BANK' },
    });
  });
});
