/** Stands in for the environment where a test needs no gateway: nothing is connected to before a call. */
export const testKeys = {
  baseUrl: 'https://gateway.example/api/v1',
  apiKey: 'pk_test_bakery',
  apiSecret: 'sk_test_bakery',
  webhooks: { secrets: ['a-secret-that-only-tests-know'] },
};
