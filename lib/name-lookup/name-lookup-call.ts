import { READ_OPERATIONS } from '../common/operations.js';
import { type ReadCall, type ReadPayload } from '../gateway/gateway-call.js';
import { isSameText } from '../gateway/answer/check-echo.js';
import { asRecord } from '../gateway/answer/wire-record.js';
import { validateRequest } from '../gateway/validation/validate-request.js';
import { NameLookupDto } from './name-lookup.dto.js';
import { type NameLookupResult } from './name-lookup-result.js';

const ECHOED = ['channel', 'account_number', 'bank_code'] as const;

/** Checks a request and converts it to a call. */
export function nameLookupCall(request: unknown): ReadCall<NameLookupResult> {
  const dto = validateRequest(NameLookupDto, request, 'name-lookup');
  return {
    kind: 'read',
    operation: 'name-lookup',
    ...READ_OPERATIONS['name-lookup'],
    body: { channel: dto.channel, account_number: dto.account_number, bank_code: dto.bank_code },
    read: (data) => readLookup(data, dto),
  };
}

/**
 * An answer without a name verifies nothing. One example of the specification calls the channel `type`, so
 * `channel` may be absent.
 */
function readLookup(data: unknown, dto: NameLookupDto): ReadPayload<NameLookupResult> | undefined {
  const wire = asRecord(data);
  if (typeof wire?.['account_name'] !== 'string') return undefined;
  const warnings = ECHOED.filter(
    (field) => dto[field] !== undefined && !isSameText(wire[field], dto[field]),
  ).map((field) => `${field} of the answer is not the one that was asked for`);
  return {
    value: { ...wire, channel: wire['channel'] ?? dto.channel } as unknown as NameLookupResult,
    warnings,
  };
}
