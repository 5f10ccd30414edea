/** Replaces the environment in tests that need no gateway: the package connects to nothing before a call. */
export const testKeys = {
  baseUrl: 'https://gateway.example/api/v1',
  apiKey: 'pk_test_bakery',
  apiSecret: 'sk_test_bakery',
  webhooks: { secrets: ['a-secret-that-only-tests-know'] },
};
