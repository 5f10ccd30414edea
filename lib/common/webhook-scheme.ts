/**
 * A delivery as it came off the wire, before anything in it is believed.
 *
 * @publicApi
 */
export interface RawWebhook {
  /** Header values by lower-case name. More than one value: the header was sent more than once. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** The exact bytes of the body. */
  readonly body: Uint8Array;
  /** Method of the request. Absent if the delivery did not come with one, for example from a queue. */
  readonly method?: string | undefined;
  /**
   * Path and query of the request, exactly as the sender asked for them: `/webhooks/payments?shop=1`, whatever prefix a
   * proxy or an outer application takes off on the way to the route. Absent if the delivery did not come with one.
   */
  readonly url?: string | undefined;
}

/**
 * Answer of a signature check: `ok`, or the `reason` why not. The reason is for logs only; a caller of the route always
 * sees the same 401.
 *
 * @publicApi
 */
export type SignatureVerdict = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/**
 * What is to be signed.
 *
 * @publicApi
 */
export interface WebhookSigningInput {
  /** The exact bytes of the body. */
  readonly body: Uint8Array;
  /** The signing key's bytes. */
  readonly key: Uint8Array;
  /** Time of signing in milliseconds since 1970. */
  readonly now: number;
  /** Delivery id, for schemes that sign one. @default a random one */
  readonly id?: string;
  /** Other headers of the delivery, for schemes that sign one of them; they come back beside the signature. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Method of the request, for schemes that sign it. @default 'POST' */
  readonly method?: string | undefined;
  /** Path and query of the request, for schemes that sign them. */
  readonly url?: string | undefined;
}

/**
 * How the secrets of a scheme are written.
 *
 * @publicApi
 */
export interface WebhookSecretForm {
  /** How the text becomes key bytes, if the option does not say it. */
  readonly encoding: 'utf8' | 'base64' | 'hex';
  /** Taken off a secret in this encoding that begins with it, for example `whsec_`. @default '' */
  readonly prefix?: string;
  /** Fewest key bytes. @default 16 */
  readonly minBytes?: number;
  /** Most key bytes. @default no bound */
  readonly maxBytes?: number;
}

/**
 * A way of signing webhooks. The specification does not show the gateway's, so it is an option
 * (specification, "Events" rule 3).
 *
 * @publicApi
 */
export interface WebhookScheme {
  /** Name for logs and boot messages. */
  readonly name: string;
  /** How secrets are written. @default the whole text as UTF-8, 16 bytes or more */
  readonly secretForm?: WebhookSecretForm;
  /** Whether the time of a delivery is signed, and an old delivery refused. @default false */
  readonly signsTime?: boolean;
  /**
   * Lower-case names of the headers without which no delivery is genuine: one that lacks them is refused with
   * 401 before its body is read.
   * @default []
   */
  readonly requiredHeaders?: readonly string[];
  /**
   * Checks a delivery against every key that is valid now.
   *
   * @param now Time of the check in milliseconds since 1970.
   */
  verify(
    webhook: RawWebhook,
    keys: readonly Uint8Array[],
    now: number,
  ): SignatureVerdict | Promise<SignatureVerdict>;
  /** The headers that carry the signature; absent if the scheme can only verify. */
  sign?(input: WebhookSigningInput): Record<string, string>;
}
