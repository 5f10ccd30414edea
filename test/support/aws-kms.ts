import { type KeyManagementService } from 'nestjs-payments';

/** The part of the class `KMS` of @aws-sdk/client-kms that this needs. */
interface AwsKms {
  encrypt(
    input: { KeyId: string; Plaintext: Uint8Array; EncryptionContext: Record<string, string> },
    options: { abortSignal: AbortSignal },
  ): Promise<{ CiphertextBlob?: Uint8Array }>;
  decrypt(
    input: { KeyId: string; CiphertextBlob: Uint8Array; EncryptionContext: Record<string, string> },
    options: { abortSignal: AbortSignal },
  ): Promise<{ Plaintext?: Uint8Array }>;
}

/** Errors after which AWS can never open a data key, or only once somebody enables its key again. */
const GONE = [
  'NotFoundException',
  'DisabledException',
  'InvalidCiphertextException',
  'IncorrectKeyException',
];

/** A key that somebody has scheduled for deletion. In any other wrong state, a key may soon work again by itself. */
function isPendingDeletion({ name, message }: Error): boolean {
  return name === 'KMSInvalidStateException' && /pending (replica )?deletion/i.test(message);
}

async function unlessGone(answer: Promise<Uint8Array | undefined>): Promise<Uint8Array | 'gone'> {
  try {
    return (await answer) ?? new Uint8Array();
  } catch (error) {
    if (error instanceof Error && (GONE.includes(error.name) || isPendingDeletion(error))) return 'gone';
    throw error;
  }
}

export function awsKms(client: AwsKms): KeyManagementService {
  return {
    wrap: ({ key, dataKey, context, signal }) => {
      const input = { KeyId: key, Plaintext: dataKey, EncryptionContext: { ...context } };
      const answer = client.encrypt(input, { abortSignal: signal });
      return unlessGone(answer.then(({ CiphertextBlob }) => CiphertextBlob));
    },
    unwrap: ({ key, wrapped, context, signal }) => {
      const input = { KeyId: key, CiphertextBlob: wrapped, EncryptionContext: { ...context } };
      const answer = client.decrypt(input, { abortSignal: signal });
      return unlessGone(answer.then(({ Plaintext }) => Plaintext));
    },
  };
}
