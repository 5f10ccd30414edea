import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

interface CurlPage {
  readonly curlOf: (delivery: {
    readonly url: string | null;
    readonly body: string;
    readonly attempts: readonly { readonly url: string | null; readonly request_headers: object }[];
  }) => string;
}

const curlPage = async () => (await import(pathToFileURL('lib/sandbox/page/curl.js').href)) as CurlPage;

it('a copied command sends a body that begins with @, and reads no file for it', async () => {
  const { curlOf } = await curlPage();
  const command = curlOf({ url: 'http://127.0.0.1:3000/', body: '@/etc/passwd', attempts: [] });
  expect(command).toContain("--data-raw '@/etc/passwd'");
});

it.each([
  ['of the try', 'http://127.0.0.1:3000/', 'http://127.0.0.1:4000/', 'http://127.0.0.1:3000/'],
  ['of the try, if the endpoint was removed', 'http://127.0.0.1:3000/', null, 'http://127.0.0.1:3000/'],
  ['of the endpoint, if the try has none', null, 'http://127.0.0.1:4000/', 'http://127.0.0.1:4000/'],
  ['that the reader fills in, if there is none at all', null, null, '<url>'],
])('a copied webhook goes to the address %s', async (_, ofTry, url, expected) => {
  const { curlOf } = await curlPage();
  const attempts = [{ url: ofTry, request_headers: { 'content-type': 'application/json' } }];
  expect(curlOf({ url, body: '{}', attempts })).toContain(`'${expected}'`);
});
