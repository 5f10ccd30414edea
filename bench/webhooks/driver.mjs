// Serves one of the receivers beside this file.
export default async function open({ receiver, ...options }) {
  const { start } = await import(`./${receiver}.receiver.mjs`);
  const { port, counts } = await start(options);
  return { port: () => port, counts: () => ({ ...counts }) };
}
