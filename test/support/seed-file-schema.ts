import { WORLD_SCHEMA } from '../../lib/sandbox/world/world-form.js';

/** The JSON Schema that the build writes beside the emulator. */
export const seedFileSchema = WORLD_SCHEMA;
