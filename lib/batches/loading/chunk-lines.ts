/** Lines of a chunk: what one job works on. */
export const CHUNK_LINES = 100;
