import { type Rates } from './rates.mjs';

export interface SimulationOptions {
  readonly paymentsPerSecond: number;
  readonly processes: number;
  readonly connections: number;
  readonly cores: number;
  readonly gatewayConnections?: number;
  readonly gatewayMs?: number;
  readonly webhookAfterMs?: number;
  readonly seed?: number;
  readonly seconds?: number;
  readonly warmUpSeconds?: number;
  readonly rates?: Rates;
}

export type Resource = 'process' | 'connections' | 'gateway connections' | 'server';

export interface SimulationResult {
  readonly arrived: number;
  readonly done: number;
  readonly inSystem: number;
  readonly paymentsPerSecond: number;
  readonly webhooksPerSecond: number;
  readonly payment: { readonly p50: number; readonly p99: number };
  readonly webhook: { readonly p50: number; readonly p99: number };
  readonly keepsUp: boolean;
  readonly utilization: Readonly<Record<Resource, number>>;
  readonly longestQueue: Readonly<Record<Resource, number>>;
  readonly statementsPerCommit: number;
  readonly writesPerSecond: number;
}

export declare function simulate(options: SimulationOptions): SimulationResult;
export declare function findLimit(options: SimulationOptions): {
  readonly keptUpWith: number;
  readonly resource: Resource;
  readonly utilization: Readonly<Record<Resource, number>>;
};
