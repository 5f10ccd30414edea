/** The likely cause of each answer to a webhook, and what to do about it. */
const CAUSES: Readonly<Record<number, string>> = {
  400: 'the body is not a JSON object',
  401: 'the signature was refused (compare PAYMENTS_WEBHOOK_SECRET and the scheme with the application) or a guard of the application refused it',
  403: 'a guard of the application refuses it: make the webhook route public',
  404: 'no such route: compare the path with the one that the application logs at boot, with its global prefix and version',
  405: 'the route does not take POST',
  408: 'the application waited too long for the body',
  413: 'the body is larger than the route takes: raise `webhooks.bodyLimit`, or the limit of a proxy before it',
  415: 'the content type, charset or content encoding is not taken: send plain application/json in UTF-8',
  422: 'event, data.reference, data.amount, data.currency or data.status is missing or malformed',
  429: 'a rate limit of the application struck: exempt the webhook route',
  500: "a handler threw: the application's log says which",
  502: 'a proxy before the application has no answer from it: is it running?',
  503: 'the storage cannot be reached, the same event is being handled right now, or a proxy or an ingress before the application has no instance of it that is ready',
  504: 'a proxy before the application has no answer from it: are the handlers slow?',
};

/** Why an answer does not count as delivered; undefined if it does, or for an unknown reason. */
export function likelyCause(status: number): string | undefined {
  if (status === 200) return undefined;
  if (status > 200 && status < 300) {
    return 'only 200 counts as delivered (Nest answers 201 to a POST): use @PaymentsWebhook, or @HttpCode(200)';
  }
  if (status >= 300 && status < 400) return 'redirects are not followed: give the address that it leads to';
  return CAUSES[status];
}
