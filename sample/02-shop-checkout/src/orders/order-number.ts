import { randomBytes } from 'node:crypto';

/** Without letters that are taken for digits. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 12;
const ORDER_NUMBER = new RegExp(`^SP-[${LETTERS}]{${LENGTH}}$`);

/** 60 random bits. */
export function newOrderNumber(): string {
  return `SP-${[...randomBytes(LENGTH)].map((byte) => LETTERS.charAt(byte % LETTERS.length)).join('')}`;
}

/** Whether an order may have this number; whatever else an address holds is not asked of the database. */
export function isOrderNumber(text: string): boolean {
  return ORDER_NUMBER.test(text);
}

/** The first payment bears the order's number; one that has ended is followed by another reference. */
export function referenceOf(orderNumber: string, nr: number): string {
  return nr === 1 ? orderNumber : `${orderNumber}-${nr}`;
}
