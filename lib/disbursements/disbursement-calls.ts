import { canonicalAmount } from '../common/money.js';
import { DISBURSEMENT_STATUSES } from '../common/vocabulary.js';
import { type RequestRules } from '../gateway/gateway-client.js';
import { type MoneyCall, type ReadPayload, MONEY_PATHS } from '../gateway/gateway-call.js';
import {
  asRecord,
  unlistedValue,
  withMetadata,
  withMoney,
  type WireRecord,
  wireAmount,
} from '../gateway/answer/wire-record.js';
import { limitErrors, validateRequest, type FieldErrors } from '../gateway/validation/validate-request.js';
import { BankDisbursementDto, MobileMoneyDisbursementDto } from './disbursement.dto.js';
import { type BankDisbursement, type MobileMoneyDisbursement } from './disbursement-records.js';

/** Checks a request for a bank payout and makes the call of it. */
export function bankCall(request: unknown, rules: RequestRules): MoneyCall<BankDisbursement> {
  const operation = 'disbursement.bank';
  const dto = validateRequest(BankDisbursementDto, request, operation, ({ amount }) =>
    limitErrors(amount, rules.limits.disbursement),
  );
  const amount = canonicalAmount(dto.amount);
  return {
    kind: 'disbursement',
    operation,
    method: 'POST',
    path: MONEY_PATHS[operation],
    payment: { reference: dto.reference, amount, currency: 'TZS' },
    body: {
      reference: dto.reference,
      bank_code: dto.bank_code,
      account_number: dto.account_number,
      account_name: dto.account_name,
      amount: wireAmount(amount, rules.amountFormat.disbursements),
      currency: 'TZS',
      remarks: dto.remarks,
      metadata: dto.metadata,
    },
    read: readDisbursement,
  };
}

/** Checks a request for a mobile money payout and makes the call of it. */
export function mobileMoneyCall(request: unknown, rules: RequestRules): MoneyCall<MobileMoneyDisbursement> {
  const operation = 'disbursement.mobile-money';
  const dto = validateRequest(MobileMoneyDisbursementDto, request, operation, ({ amount, network }) => ({
    ...limitErrors(amount, rules.limits.disbursement),
    ...networkErrors(network, rules.networks),
  }));
  const amount = canonicalAmount(dto.amount);
  return {
    kind: 'disbursement',
    operation,
    method: 'POST',
    path: MONEY_PATHS[operation],
    payment: { reference: dto.reference, amount, currency: 'TZS' },
    body: {
      reference: dto.reference,
      recipient_phone: dto.recipient_phone,
      recipient_name: dto.recipient_name,
      amount: wireAmount(amount, rules.amountFormat.disbursements),
      currency: 'TZS',
      network: dto.network,
      remarks: dto.remarks,
      metadata: dto.metadata,
    },
    read: (data) =>
      readDisbursement<MobileMoneyDisbursement>(data, (wire) =>
        unlistedValue(wire, 'channel', ['MOBILE_MONEY']),
      ),
  };
}

function networkErrors(network: string, networks: ReadonlySet<string> | undefined): FieldErrors {
  if (!networks || networks.has(network)) return {};
  return { network: [`network must be one of the networks option: ${[...networks].join(', ')}`] };
}

function readDisbursement<T extends BankDisbursement | MobileMoneyDisbursement>(
  data: unknown,
  moreWarnings: (wire: WireRecord) => readonly string[] = () => [],
): ReadPayload<T> | undefined {
  const wire = asRecord(data);
  if (!wire) return undefined;
  const { record, warnings } = withMoney(wire, ['amount', 'fee', 'total_amount']);
  return {
    value: withMetadata(record) as unknown as T,
    warnings: [...warnings, ...unlistedValue(wire, 'status', DISBURSEMENT_STATUSES), ...moreWarnings(wire)],
  };
}
