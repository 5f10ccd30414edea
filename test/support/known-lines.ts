import { type PayoutLine } from 'nestjs-payments/batches';
import { type PaymentsSandbox } from 'nestjs-payments/sandbox';

/** Payouts to accounts whose holders the emulator knows under the same name. */
export function knownLines(sandbox: PaymentsSandbox, count: number, amount = '1000'): readonly PayoutLine[] {
  return Array.from({ length: count }, (_, index) => {
    // No ending that the emulator gives a meaning to.
    const account_number = `015${String(index).padStart(7, '0')}999`;
    const name = `Asha ${lettersOf(index)} Mushi`;
    sandbox.directory.register(account_number, name);
    return { key: `S-${index + 1}`, name, amount, bank_code: 'BSB', account_number };
  });
}

/** A word of letters alone for a number. */
function lettersOf(index: number): string {
  return `Z${String(index).replace(/\d/g, (digit) => 'abcdefghij'.charAt(Number(digit)))}`;
}
