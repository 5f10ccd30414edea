import { type Rates } from './rates.mjs';

export interface Assumed {
  readonly gatewayMs: number;
  readonly utilization: number;
  readonly gatewayConnections: number;
  readonly coresOfDatabase: number;
  readonly keepDays: number;
}

export interface Plan {
  readonly paymentsPerSecond: number;
  readonly processes: number;
  readonly processesForCpu: number;
  readonly processesForGateway: number;
  readonly connections: number;
  readonly databases: number;
  readonly coresOfDatabase: number;
  readonly connectionsOfDatabase: number;
  readonly inFlight: number;
  readonly gbOfDay: number;
  readonly gbOfMonth: number;
  readonly gbKept: number;
  readonly gbOfTombstonesOfMonth: number;
  readonly walMbPerSecond: number;
  readonly walGbOfDay: number;
}

export declare const ASSUMED: Assumed;
export declare function plan(
  paymentsPerSecond: number,
  options?: Partial<Assumed> & { readonly rates?: Rates },
): Plan;
