/** An answer before it is written as JSON. */
export interface GatewayAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** The answer leaves no sooner. */
  readonly ready?: Promise<void>;
}
