import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

interface CurlPage {
  readonly curlOf: (delivery: {
    readonly url: string;
    readonly body: string;
    readonly attempts: [];
  }) => string;
}

it('a copied command sends a body that begins with @, and reads no file for it', async () => {
  const file = pathToFileURL('lib/sandbox/page/curl.js').href;
  const { curlOf } = (await import(file)) as CurlPage;
  const command = curlOf({ url: 'http://127.0.0.1:3000/', body: '@/etc/passwd', attempts: [] });
  expect(command).toContain("--data-raw '@/etc/passwd'");
});
