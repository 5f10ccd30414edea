import { formatCents } from '../../../common/money.js';
import { type QuestionInputs, type Step } from './question.js';

/** Names of nobody, and an address that nobody has (RFC 2606). */
const CUSTOMER = { customer_name: 'Conformance Check', customer_email: 'conformance@example.com' };
const REMARKS = 'Conformance check';

type Fields = Readonly<Record<string, unknown>>;
type Rest = Omit<Step, 'operation' | 'body'>;

/** A collection from the phone of the inputs. */
export function collection(inputs: QuestionInputs, fields: Fields = {}, rest: Rest = {}): Step {
  return {
    operation: 'POST /payments/mobile-money',
    body: { ...money(inputs), phone: inputs.phone, ...CUSTOMER, ...fields },
    ...rest,
  };
}

/** A collection from the partner wallet. */
export function partnerCollection(inputs: QuestionInputs): Step {
  return {
    operation: 'POST /payments/partnerpesa',
    body: { ...money(inputs), phone: inputs.partnerPhone, ...CUSTOMER },
  };
}

/** A payout to the recipient's phone of the inputs. */
export function phonePayout(inputs: QuestionInputs, fields: Fields = {}, rest: Rest = {}): Step {
  const { recipientPhone: recipient_phone, network } = inputs;
  return {
    operation: 'POST /disbursements/mobile-money',
    body: {
      ...money(inputs),
      recipient_phone,
      recipient_name: CUSTOMER.customer_name,
      network,
      remarks: REMARKS,
      ...fields,
    },
    ...rest,
  };
}

/** A payout to the bank account of the inputs. */
export function bankPayout(inputs: QuestionInputs, fields: Fields = {}): Step {
  const { bankCode: bank_code, bankAccount: account_number, accountName: account_name } = inputs;
  return {
    operation: 'POST /disbursements/bank',
    body: { ...money(inputs), bank_code, account_number, account_name, remarks: REMARKS, ...fields },
  };
}

/** A lookup of the holder of an account. */
export function lookup(fields: Fields): Step {
  return { operation: 'POST /disbursements/name-lookup', body: fields };
}

/** Cents as the JSON number that the specification shows. */
export function amountOf(cents: number): number {
  return Number(formatCents(BigInt(cents)));
}

function money({ amountCents }: QuestionInputs): Fields {
  return { amount: amountOf(amountCents), currency: 'TZS' };
}
