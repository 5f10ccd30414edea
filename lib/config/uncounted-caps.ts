import { PAYMENT_FAMILIES } from '../common/vocabulary.js';
import { type PaymentsConfigError } from '../errors/payments-errors.js';
import { type OptionError } from '../errors/option-errors.js';
import { type ResolvedPaymentsOptions } from './resolved-options.js';

/** The errors of daily caps that the storage cannot count. Without a storage of its own, an account has memoryStorage(). */
export function uncountedCaps(
  { limits, storage }: Partial<Pick<ResolvedPaymentsOptions, 'limits' | 'storage'>>,
  error: OptionError,
): readonly PaymentsConfigError[] {
  if (!limits || !storage || storage.journal.dailyCaps) return [];
  return PAYMENT_FAMILIES.filter((family) => limits[family].perDay).map((family) =>
    error(
      `limits.${family}.perDay`,
      `needs a storage that counts payments, and the journal of ${JSON.stringify(storage.name)} has no dailyCaps: implement ` +
        'JournalStore.dailyCaps there, use a storage of the package, or leave the cap out.',
    ),
  );
}
