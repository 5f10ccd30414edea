/**
 * What every call of a key service gets.
 *
 * @publicApi
 */
export interface KeyServiceCall {
  /** The name of the key at the key service: what `keys` of `envelope()` says. */
  readonly key: string;
  /**
   * What the data key is for, as authenticated data: the key service must open a data key only in the context in which it
   * was wrapped. It is always the same for a key, and holds no secret.
   */
  readonly context: Readonly<Record<string, string>>;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/**
 * A call that wraps a data key.
 *
 * @publicApi
 */
export interface WrapCall extends KeyServiceCall {
  /** The data key: 32 bytes. Do not keep it: the package overwrites the bytes afterwards. */
  readonly dataKey: Uint8Array;
}

/**
 * A call that opens a wrapped data key.
 *
 * @publicApi
 */
export interface UnwrapCall extends KeyServiceCall {
  /** What `wrap` returned. */
  readonly wrapped: Uint8Array;
}

/**
 * The port for a key management service such as AWS KMS, Google Cloud KMS or the Transit engine of HashiCorp Vault. Its key
 * never leaves the service: it wraps data keys, which `envelope()` makes and caches.
 *
 * Both methods reject if the service cannot be reached, is overloaded or denies the call: the package tries again later.
 * They resolve to `'gone'` only if the service says for certain that it cannot do it: the key is unknown, disabled or
 * destroyed, or it did not wrap this data key in this context.
 *
 * @publicApi
 */
export interface KeyManagementService {
  /** Encrypts a data key. At most 2,048 bytes. */
  wrap(call: WrapCall): Promise<Uint8Array | 'gone'>;
  /** Decrypts a wrapped data key. */
  unwrap(call: UnwrapCall): Promise<Uint8Array | 'gone'>;
}
