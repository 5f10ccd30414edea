/** What stands in a path for each parameter of its template. */
export type PathParameters = Readonly<Record<string, string>>;

/**
 * Compiles a path such as `/payments/{reference}` into a function that finds its parameters, or undefined in
 * another path.
 */
export function pathTemplate(template: string): (path: string) => PathParameters | undefined {
  const source = template.replaceAll('.', '[.]').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  const pattern = new RegExp(`^${source}$`);
  return (path) => {
    const match = pattern.exec(path);
    return match ? { ...match.groups } : undefined;
  };
}
