const PHONE = /^255\d{9}$/;
const ACCOUNT_NUMBER = /^\d{5,20}$/;

/** The gateway's form of a phone number (specification, "Endpoints" 7). */
export function isPhone(value: string): boolean {
  return PHONE.test(value);
}

/** Invented: the specification does not show what a bank account number looks like. */
export function isAccountNumber(value: string): boolean {
  return ACCOUNT_NUMBER.test(value);
}
