/** Imports a package as the files of `lib/` do: a second install beside the asking file does not count. */
export async function importPackage(name: string): Promise<Readonly<Record<string, unknown>>> {
  return (await import(name)) as Readonly<Record<string, unknown>>;
}
