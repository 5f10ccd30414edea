const quoted = (value) => `'${value.replaceAll("'", `'\\''`)}'`;

/** A webhook as a command that sends it again, byte for byte, as its last try was. */
export function curlOf({ url, body, attempts }) {
  const headers =
    attempts.findLast(({ request_headers: sent }) => Object.keys(sent).length > 0)?.request_headers ?? {};
  const lines = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  return ['curl -i', ...lines, `--data-binary ${quoted(body)}`, quoted(url ?? '<url>')].join(' \\\n  ');
}
