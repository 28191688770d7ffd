/** Who works across workspaces: every place in the programs that says so, so that none is added unseen. */
import { systemReasons } from "@millrace/core/workspace"
import { readdir, readFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { expect, it } from "vitest"

const root = join(import.meta.dirname, "../..")
const programs = ["adapters", "cli", "core", "http", "jobs", "server"]

const expected: Readonly<Record<string, ReadonlyArray<keyof typeof systemReasons>>> = {
  "adapters/src/storage/postgres/Installation.ts": ["tables of the installation"],
  "adapters/src/storage/postgres/PostgresDataKeys.ts": ["tables of the installation"],
  "adapters/src/storage/postgres/PostgresKeyLookup.ts": ["key look-up"],
  "adapters/src/storage/postgres/PostgresRateLimiter.ts": ["tables of the installation"],
  "adapters/src/storage/postgres/PostgresUpstreamBudget.ts": ["tables of the installation"],
  "adapters/src/storage/postgres/Resealing.ts": ["sealing"],
  "core/src/access/Authenticator.ts": ["key look-up"],
  "core/src/bank/ConnectReturns.ts": ["connect returns"],
  "core/src/enrichment/WarmUp.ts": ["warm up"],
  "core/src/access/Families.ts": ["family look-up"],
  "core/src/upload/UploadPages.ts": ["upload pages"],
  "core/src/usecase/ConfiguredAgain.ts": ["configured again"],
  "core/src/usecase/BankRemovalTask.ts": ["connection look-up"],
  "core/src/usecase/PokeTask.ts": ["provider callbacks"],
  "core/src/usecase/ProviderCallbacks.ts": ["provider callbacks"],
  "jobs/src/ClusterEngine.ts": ["job engine"],
  "jobs/src/Dispatcher.ts": ["job engine"],
  "jobs/src/JobRunner.ts": ["job engine"],
  "jobs/src/EventDelivery.ts": ["task engine"],
  "jobs/src/TaskRunner.ts": ["task engine"],
  "server/src/FirstStart.ts": ["first start"],
  "server/src/ConnectBank.ts": ["connect a bank"],
  "server/src/OwnerKey.ts": ["owner keys"]
}

const sources = async () => {
  const found: Array<readonly [file: string, text: string]> = []
  for (const name of programs) {
    const folder = join(root, name, "src")
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.name.endsWith(".ts")) continue
      const path = join(entry.parentPath, entry.name)
      found.push([relative(root, path).replaceAll("\\", "/"), await readFile(path, "utf8")])
    }
  }
  return found
}

it("crosses the wall between workspaces nowhere but where it is known to, each place with its reason", async () => {
  const used: Record<string, Array<string>> = {}
  const around: Array<string> = []
  for (const [file, text] of await sources()) {
    if (file === "core/src/workspace/TenantScope.ts") continue
    const reasons = Array.from(text.matchAll(/acrossTenants\("([^"]+)"\)/g), ([, reason]) => reason!)
    if (reasons.length > 0) used[file] = [...new Set(reasons)]
    // A reason that is not written there cannot be read here, and the reach is set by no other way.
    const calls = text.match(/\bacrossTenants\(/g)?.length ?? 0
    if (
      calls !== reasons.length ||
      /provideService\(\s*CurrentTenantScope|Layer\.succeed\(\s*CurrentTenantScope/.test(text)
    ) {
      around.push(file)
    }
  }
  expect(used).toEqual(expected)
  expect(around).toEqual([])
  expect(Object.keys(systemReasons).toSorted()).toEqual([...new Set(Object.values(expected).flat())].toSorted())
})
