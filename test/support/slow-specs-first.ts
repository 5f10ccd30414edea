import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Specs that start processes, browsers or databases, play thousands of stories or wait long, the slowest first. */
const SLOW = [
  'test/orms/executor-contracts',
  'test/orms/killed-payer',
  'test/orms/mysql-contracts',
  'test/orms/customised-',
  'test/orms/executor',
  'test/orms/mysql-killed',
  'test/orms/typeorm-contracts',
  'sample/03-workers/test/workers',
  'test/model/',
  'test/e2e/bullmq/processes',
  'test/e2e/page/',
  'sample/04-payroll/test/restart',
  'test/e2e/storage/postgres/',
  'test/integration/suite/',
  'test/integration/gateway/decision-table',
  'test/unit/sandbox/state/folder-lock',
  'test/integration/sandbox/endurance',
  'test/integration/gateway/effects',
  'test/e2e/bullmq/',
  'test/e2e/batches/bullmq-outage',
  'test/integration/journal/never-sent',
  'test/e2e/cli/',
  'sample/',
  'test/unit/docs/',
  'test/integration/storage/postgres/',
  'test/e2e/',
  'test/integration/',
];

/** Starts the slowest specs first, so that no worker is left alone with one of them at the end. */
export class SlowSpecsFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = SLOW.findIndex((part) => moduleId.includes(`/${part}`));
      return place === -1 ? SLOW.length : place;
    };
    return Promise.resolve([...files].sort((one, other) => rank(one) - rank(other)));
  }
}
