import { randomBytes } from 'node:crypto';
import { aesGcm, type PaymentsStorage } from 'nestjs-payments';
import { type Encryption } from '../../lib/storage/sealed/encryption.js';
import { sealedStorage } from '../../lib/storage/sealed/sealed-storage.js';

/** A storage with an encryption in front of it, as the module makes it. */
export function sealed<Storage extends PaymentsStorage>(storage: Storage): Storage {
  const keys = { earlier: randomBytes(32), current: randomBytes(32) };
  const encryption = aesGcm({ keys, current: 'current' }) as Encryption;
  return { ...storage, ...sealedStorage(storage, encryption) };
}
