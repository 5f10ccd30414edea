import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ASSUMED, plan } from '../../../bench/capacity/plan.mjs';
import { findLimit, simulate } from '../../../bench/capacity/simulate.mjs';
import { gatewayRows, planRows, shardOf, simulatedRows, TARGETS } from '../../../bench/capacity/tables.mjs';

/** The tables of the page as rows of cells. */
const tables = readFileSync('docs/capacity.md', 'utf8')
  .split('\n\n')
  .filter((block) => block.startsWith('|'))
  .map((block) =>
    block
      .split('\n')
      .filter((line) => line.startsWith('|') && !/^\|[ |:-]+\|$/.test(line))
      .map((line) =>
        line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      ),
  );

const SHORT = { seconds: 2, warmUpSeconds: 2 };
const shard = { ...shardOf(1_000), ...SHORT };

describe('docs/capacity.md', () => {
  it('has the sizes that the plan gives', () => {
    expect(tables).toContainEqual(planRows());
  });

  it('has the processes for other gateways that the plan gives', () => {
    expect(tables).toContainEqual(gatewayRows());
  });

  it('has what the simulation gives for 10 and 1,000 payments a second', () => {
    const simulated = tables.find((rows) => rows.some(([name]) => name === 'simulated payments a second'));
    expect(simulated?.map((cells) => cells.slice(0, 3))).toEqual(simulatedRows([10, 1_000]));
  });
});

describe('plan', () => {
  it.each(TARGETS)('for %i payments a second has processes and databases that divide evenly', (target) => {
    const { processes, databases, processesForCpu, processesForGateway } = plan(target);
    expect(processes % databases).toBe(0);
    expect(processes).toBeGreaterThanOrEqual(Math.max(2, processesForCpu, processesForGateway));
  });

  it('asks for more if less of each resource may be used', () => {
    const { processes, gbOfDay } = plan(1_000);
    const careful = plan(1_000, { utilization: ASSUMED.utilization / 2 });
    expect(careful.processes).toBeGreaterThan(1.5 * processes);
    expect(careful.gbOfDay).toBe(gbOfDay);
  });
});

describe('the simulation', () => {
  const planned = simulate(shard);

  it('is the same again with the same seed, and another one with another seed', () => {
    expect(simulate(shard)).toEqual(planned);
    expect(simulate({ ...shard, seed: 2 }).arrived).not.toBe(planned.arrived);
  });

  it('loses nothing and makes nothing up', () => {
    expect(planned.arrived).toBe(planned.done + planned.inSystem);
    expect(planned.done).toBeGreaterThan(6_000);
  });

  it('keeps up with the planned size, and no resource is used beyond its limit', () => {
    expect(planned.keepsUp).toBe(true);
    const { process, server, 'gateway connections': gateway } = planned.utilization;
    // Chance: a fifth of a second more or less of arrivals.
    expect(Math.max(process, server, gateway)).toBeLessThan(ASSUMED.utilization * 1.05);
  });

  it('takes as long as the gateway and a little more', () => {
    expect(planned.payment.p50).toBeGreaterThan(shard.gatewayMs);
    expect(planned.payment.p99).toBeLessThan(2 * shard.gatewayMs);
  });

  it('does not keep up with half of the planned processes', () => {
    const { keepsUp, utilization, payment } = simulate({
      ...shard,
      processes: Math.floor(shard.processes / 2),
    });
    expect(keepsUp).toBe(false);
    expect(Math.max(utilization.process, utilization['gateway connections'])).toBeGreaterThan(0.99);
    expect(payment.p99).toBeGreaterThan(2 * shard.gatewayMs);
  });

  it('does not keep up with twice as many payments if the server has one core', () => {
    // The gateway answers so soon that its connections suffice.
    const { keepsUp, utilization } = simulate({
      ...shard,
      cores: 1,
      paymentsPerSecond: 2 * shard.paymentsPerSecond,
      gatewayMs: shard.gatewayMs / 4,
    });
    expect(keepsUp).toBe(false);
    expect(utilization.server).toBeGreaterThan(0.99);
  });

  it('lets more statements share a commit, the fewer connections there are', () => {
    const few = simulate({ ...shard, connections: 1 });
    expect(few.statementsPerCommit).toBeGreaterThan(planned.statementsPerCommit);
    expect(few.keepsUp).toBe(true);
  });

  it('finds what saturates first', () => {
    const { keptUpWith, resource } = findLimit({ ...shard, paymentsPerSecond: 1_500, seconds: 1 });
    expect(keptUpWith).toBeGreaterThanOrEqual(1_500);
    expect(keptUpWith).toBeLessThan(2_000);
    expect(resource).toBe('gateway connections');
  });
});
