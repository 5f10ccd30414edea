/* eslint-disable @typescript-eslint/no-unnecessary-type-parameters -- T is what makes TypeScript compare A and B */

/** Whether two types are the same, `any` and `readonly` included. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Does not compile if it is given `false`. */
export type Expect<T extends true> = T;
