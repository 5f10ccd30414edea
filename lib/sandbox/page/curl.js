const quoted = (value) => `'${value.replaceAll("'", `'\\''`)}'`;

/** The shell command that repeats a webhook's last try byte for byte. */
export function curlOf({ url, body, attempts }) {
  const headers =
    attempts.findLast(({ request_headers: sent }) => Object.keys(sent).length > 0)?.request_headers ?? {};
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return ['curl -i', ...lines, `--data-binary ${quoted(body)}`, quoted(url ?? '<url>')].join(' \\\n  ');
}
