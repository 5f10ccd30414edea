import { randomBytes } from 'node:crypto';

/** Without letters that look like digits. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 12;
const ORDER_NUMBER = new RegExp(`^SP-[${LETTERS}]{${LENGTH}}$`);

/** 60 random bits. */
export function newOrderNumber(): string {
  return `SP-${[...randomBytes(LENGTH)].map((byte) => LETTERS.charAt(byte % LETTERS.length)).join('')}`;
}

/** Whether a text has the form of an order number, to query the database only for those. */
export function isOrderNumber(text: string): boolean {
  return ORDER_NUMBER.test(text);
}

/** The first payment has the order's number as reference. After its end, the next payment has another one. */
export function referenceOf(orderNumber: string, nr: number): string {
  return nr === 1 ? orderNumber : `${orderNumber}-${nr}`;
}
