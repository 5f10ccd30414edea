import { randomBytes } from 'node:crypto';

/** Without letters that are taken for digits. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 12;

/** 60 random bits. */
export function newOrderNumber(): string {
  return `SP-${[...randomBytes(LENGTH)].map((byte) => LETTERS.charAt(byte % LETTERS.length)).join('')}`;
}

/** The first payment bears the order's number; one that has ended is followed by another reference. */
export function referenceOf(orderNumber: string, nr: number): string {
  return nr === 1 ? orderNumber : `${orderNumber}-${nr}`;
}
