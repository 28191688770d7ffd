import { callerOf } from "../../src/access/Caller.ts"
import { EnrichmentStore } from "../../src/enrichment/EnrichmentStore.ts"
import { Enrichments } from "../../src/enrichment/Enrichments.ts"
import * as Currency from "../../src/shared/Currency.ts"
import { Ids } from "../../src/shared/Ids.ts"
import { Workspaces } from "../../src/usecase/Workspaces.ts"
import { openUploadFeed } from "@millrace/verification/upload/UploadWorld"
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { scene } from "../upload/Uploading.ts"

describe("a workspace", () => {
  scene("is changed in what is sent, with a next version", () =>
    Effect.gen(function* () {
      const { caller } = yield* openUploadFeed
      const workspaces = yield* Workspaces
      const { id } = caller.principal.workspace
      const before = yield* workspaces.get(caller, id)
      const change = { baseCurrency: Currency.make("EUR"), timezone: "europe/berlin", locale: "de-CH", icon: "🏦" }
      const after = yield* workspaces.update(caller, id, change, before.version)
      expect(after).toEqual({
        ...before,
        ...change,
        timezone: "Europe/Berlin",
        updatedAt: after.updatedAt,
        version: before.version + 1
      })
      expect(yield* workspaces.get(caller, id)).toEqual(after)
      const { icon: _, ...plain } = after
      expect(yield* workspaces.update(caller, id, { icon: null, name: "Books" }, undefined)).toEqual({
        ...plain,
        name: "Books",
        updatedAt: after.updatedAt,
        version: after.version + 1
      })
    })
  )

  scene("refuses a zone and a language that do not exist, an older version, another workspace and a weaker role", () =>
    Effect.gen(function* () {
      const { caller } = yield* openUploadFeed
      const workspaces = yield* Workspaces
      const { workspace } = caller.principal
      const before = yield* workspaces.get(caller, workspace.id)
      const refused = yield* Effect.flip(
        workspaces.update(caller, workspace.id, { timezone: "Mars/Olympus", locale: "x" }, undefined)
      )
      expect(refused).toMatchObject({
        _tag: "Unprocessable",
        details: [{ field: "timezone" }, { field: "locale" }]
      })
      const stale = yield* Effect.flip(workspaces.update(caller, workspace.id, { name: "A" }, before.version + 1))
      expect(stale._tag).toBe("PreconditionFailed")
      const other = yield* (yield* Ids).next("workspace")
      expect((yield* Effect.flip(workspaces.get(caller, other)))._tag).toBe("NotFound")
      expect((yield* Effect.flip(workspaces.update(caller, other, { name: "A" }, undefined)))._tag).toBe("NotFound")
      const admin = callerOf(
        { kind: "user", workspace, userId: "usr_a", email: "a@b.example", role: "admin" },
        "request"
      )
      expect((yield* Effect.flip(workspaces.update(admin, workspace.id, { name: "A" }, undefined)))._tag).toBe(
        "Forbidden"
      )
      expect(yield* workspaces.get(caller, workspace.id)).toEqual(before)
    })
  )

  scene("has its enrichments work out everything again after another base currency, and not after another name", () =>
    Effect.gen(function* () {
      const { caller } = yield* openUploadFeed
      const workspaces = yield* Workspaces
      const { id } = caller.principal.workspace
      const budget = yield* (yield* Enrichments).create(caller, {
        name: "Transfers",
        type: "transfer_match",
        dataType: "transactions",
        allFeeds: true,
        config: {}
      })
      const revision = Effect.map(
        Effect.flatMap(EnrichmentStore, (store) => store.list([id])),
        (all) => all.find((one) => one.id === budget.enrichment.id)?.revision
      )
      const first = budget.enrichment.revision
      yield* workspaces.update(caller, id, { name: "Books" }, undefined)
      expect(yield* revision).toBe(first)
      yield* workspaces.update(caller, id, { baseCurrency: Currency.make("EUR") }, undefined)
      expect(yield* revision).toBe(first + 1)
      yield* workspaces.update(caller, id, { baseCurrency: Currency.make("EUR") }, undefined)
      expect(yield* revision).toBe(first + 1)
    })
  )
})
