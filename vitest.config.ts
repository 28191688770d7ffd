import { defineConfig } from "vitest/config"

/** Tests that kill and stop workers. They run after the others and one at a time: what they wait for has limits of time. */
const processes = ["packages/server/test/{Chaos,Processes}.integration.test.ts"]

export default defineConfig({
  test: {
    // Two cores: more workers than that only make PostgreSQL and the tests fight for time.
    maxWorkers: 2,
    // Limits for what hangs. A machine that does much else takes many times as long as a quiet one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      {
        extends: true,
        test: {
          name: "all",
          globalSetup: ["packages/testing/src/postgres/globalSetup.ts"],
          include: [
            "packages/*/test/**/*.test.ts",
            "examples/test/**/*.test.ts",
            "bench/test/**/*.test.ts",
            "scripts/test/*.test.ts"
          ],
          exclude: processes,
          sequence: { groupOrder: 0 }
        }
      },
      {
        extends: true,
        test: {
          name: "processes",
          globalSetup: ["packages/testing/src/postgres/globalSetup.ts"],
          include: processes,
          fileParallelism: false,
          sequence: { groupOrder: 1 }
        }
      }
    ]
  }
})
