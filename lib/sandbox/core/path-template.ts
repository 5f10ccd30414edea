/** The values of a path's parameters. */
export type PathParameters = Readonly<Record<string, string>>;

/**
 * Compiles a template such as `/payments/{reference}` into a function that returns a path's parameters, or
 * undefined for another path.
 */
export function pathTemplate(template: string): (path: string) => PathParameters | undefined {
  const source = template.replaceAll('.', '[.]').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)');
  const pattern = new RegExp(`^${source}$`);
  return (path) => {
    const match = pattern.exec(path);
    return match ? { ...match.groups } : undefined;
  };
}
