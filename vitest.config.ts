import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const everything = [
  "packages/*/test/**/*.test.ts",
  "examples/test/**/*.test.ts",
  "bench/test/**/*.test.ts",
  "scripts/test/*.test.ts"
]

/** Tests that measure memory or time, or change the environment: each file has a process of its own. */
const alone = [
  "packages/core/test/pattern/Pattern.test.ts",
  "packages/adapters/test/pattern/*.test.ts",
  "packages/adapters/test/statement/{Growth,StatementThreads,CsvTruth}.test.ts",
  "packages/server/test/EmbeddedPostgres.integration.test.ts"
]

/** Tests that use the PostgreSQL server of the run. Like all others they share processes: each loads everything once. */
const onPostgres = ["packages/*/test/**/*.integration.test.ts", "bench/test/resync.test.ts"]

/** What takes longest, longest first. */
const long = [
  "Chaos.integration",
  "Processes.integration",
  "JobEngine.integration",
  "Backup.integration",
  "Backups.integration",
  "postgres.integration",
  "EventKills.integration",
  "Guardian.integration",
  "FullDisk.integration",
  "IdentityRun.integration",
  "SyncRun.integration",
  "FirstStart.integration",
  "TaskKills.integration"
]

/** Projects in their order, so that a process goes on with files of its own project. */
const projects = ["on PostgreSQL", "alone", "together"]

const placeOf = ({ moduleId, project }: TestSpecification): number => {
  const at = long.findIndex((name) => moduleId.includes(`/${name}.`))
  return at === -1 ? long.length + projects.indexOf(project.name) : at
}

/** Long files begin first: whatever begins last is waited for by one worker while the others have nothing to do. */
class LongFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is the sequencer's own
    const others = await super.sort(files)
    return others.toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}

/** Tests make much that is soon garbage: with more room for what is new, less of it is copied. Megabytes of each process. */
const roomy = ["--max-semi-space-size=64"]

/** Packages are tested as the TypeScript files that they are made of, not as what was built last. */
const resolve = { conditions: ["@millrace/source", "node", "development|production"] }

export default defineConfig({
  ssr: { resolve },
  // The one in which Vitest runs `globalSetup`.
  environments: { __vitest__: { resolve } },
  test: {
    // For two cores: many tests wait most of their time, for PostgreSQL or for processes.
    maxWorkers: 3,
    // Limits for what hangs. A machine that does much else takes many times as long as a quiet one.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    sequence: { sequencer: LongFirst },
    projects: [
      { extends: true, test: { name: "alone", include: alone } },
      {
        extends: true,
        test: {
          name: "on PostgreSQL",
          isolate: false,
          execArgv: roomy,
          globalSetup: ["packages/verification/src/postgres/globalSetup.ts"],
          include: onPostgres,
          exclude: alone
        }
      },
      {
        extends: true,
        test: {
          name: "together",
          isolate: false,
          execArgv: roomy,
          include: everything,
          exclude: [...alone, ...onPostgres]
        }
      }
    ]
  }
})
