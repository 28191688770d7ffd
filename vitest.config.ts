import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts", "examples/test/**/*.test.ts", "bench/test/**/*.test.ts"],
    globalSetup: ["packages/testing/src/postgres/globalSetup.ts"],
    // Two cores: more workers than that only make PostgreSQL and the tests fight for time.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000
  }
})
