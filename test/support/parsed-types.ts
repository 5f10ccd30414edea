import pg, { type CustomTypesConfig } from 'pg';

/** `name`, `text`, `unknown` and `varchar`. */
const TEXTS = [19, 25, 705, 1043];

/** Type parsers of an application that make something of its own of every type but texts. */
export const parsedTypes = {
  getTypeParser: (oid: never, format: never) =>
    TEXTS.includes(oid)
      ? (pg.types.getTypeParser(oid, format) as (value: string) => unknown)
      : (value: unknown) => ({ oid: oid as number, value }),
} as CustomTypesConfig;
