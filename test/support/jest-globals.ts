export { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi as jest } from 'vitest';
