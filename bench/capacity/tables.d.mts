import { type Assumed } from './plan.mjs';
import { type SimulationOptions } from './simulate.mjs';

export declare const TARGETS: readonly number[];
export declare function planRows(): readonly (readonly string[])[];
export declare function gatewayRows(): readonly (readonly string[])[];
export declare function simulatedRows(targets: readonly number[]): readonly (readonly string[])[];
export declare function shardOf(
  target: number,
  options?: Partial<Assumed>,
): SimulationOptions & {
  readonly gatewayConnections: number;
  readonly gatewayMs: number;
};
