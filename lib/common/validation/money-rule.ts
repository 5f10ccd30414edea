import { amountProblem } from '../money.js';
import { fieldRule } from './field-rule.js';

/** An amount of TZS: greater than 0, at most two decimals, below 10^13. */
export const IsMoneyAmount = (): PropertyDecorator => fieldRule('isMoneyAmount', amountProblem);
