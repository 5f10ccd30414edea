/** The fence of a claim and the version of a record in what a driver or an ORM answers, however it frames the rows. */
export function idsOfRows(answer) {
  return [answer]
    .flat(Infinity)
    .flatMap((result) => result?.rows ?? result ?? [])
    .flatMap(({ fence, version_text: version }) => [fence, version])
    .filter((id) => id !== undefined && id !== null)
    .map(String);
}
