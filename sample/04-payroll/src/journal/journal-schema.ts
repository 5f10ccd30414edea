/** A schema of its own: another application may keep its payments in the same database. */
export const SCHEMA = 'payroll';
