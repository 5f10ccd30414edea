/** Request bodies that fit the OpenAPI document (specification, "Endpoints"). */
export interface CollectionRequest {
  readonly amount: number | string;
  readonly reference: string;
  readonly phone: string;
  readonly customer_name: string;
  readonly customer_email: string;
  readonly metadata?: Metadata;
}

export interface BankPayoutRequest {
  readonly reference: string;
  readonly bank_code: string;
  readonly account_number: string;
  readonly account_name: string;
  readonly amount: number | string;
  readonly remarks: string;
  readonly metadata?: Metadata;
}

export interface MobileMoneyPayoutRequest {
  readonly reference: string;
  readonly recipient_phone: string;
  readonly recipient_name: string;
  readonly amount: number | string;
  readonly network: string;
  readonly remarks: string;
  readonly metadata?: Metadata;
}

export interface NameLookupRequest {
  readonly channel: string;
  readonly account_number: string;
  readonly bank_code?: string;
}

export type Metadata = Readonly<Record<string, unknown>>;
