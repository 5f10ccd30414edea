/** A phone number in the gateway's form: `255` and nine digits, no plus sign (specification, "Endpoints" 1). */
export const TZ_PHONE = /^255\d{9}$/;
