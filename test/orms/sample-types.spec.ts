import { expect, it } from 'vitest';
import { projectProblems } from '../support/compiler-problems.js';

it('the sample 07-typeorm-shop compiles with the types of TypeORM and @nestjs/typeorm', async () => {
  expect(await projectProblems('test/orms/tsconfig.sample.json')).toEqual([]);
});
