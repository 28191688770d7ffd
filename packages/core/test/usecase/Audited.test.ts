import type { Operation } from "../../src/access/Operation.ts"
import { callerOf } from "../../src/access/Caller.ts"
import { operations } from "../../src/access/catalogue.generated.ts"
import { Audit, entryOf } from "../../src/audit/Audit.ts"
import { AuditStore } from "../../src/audit/AuditStore.ts"
import { Enrichments } from "../../src/enrichment/Enrichments.ts"
import { Jobs } from "../../src/job/Jobs.ts"
import { Tables } from "../../src/table/Tables.ts"
import { auditedUseCases } from "../../src/Audited.ts"
import { Feeds } from "../../src/usecase/Feeds.ts"
import { openUploadFeed } from "@millrace/verification/upload/UploadWorld"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { scene } from "../upload/Uploading.ts"

const arrange = Effect.gen(function* () {
  const world = yield* openUploadFeed
  const store = yield* AuditStore
  const { id } = world.caller.principal.workspace
  let read = (yield* store.ends(id)).newest.number
  /** The entries since the last time. */
  const told = Effect.gen(function* () {
    yield* store.ends(id)
    const rows = yield* store.chain(id, read, 100)
    read += rows.length
    return rows.map((row) => entryOf(row))
  })
  return { ...world, store, told, workspaceId: id }
})

describe("the audit", () => {
  it("is written for every operation that changes something, once, and for no other", () => {
    const audited = auditedUseCases.flatMap(({ methods }) => Object.values(methods).map(({ operation }) => operation))
    // A provider's callback is no one's act: what follows from it is told where it happens.
    const changing = Object.values<Operation>(operations).filter(
      ({ credential, idempotency }) => idempotency !== "read" && credential === "required"
    )
    expect(audited.toSorted()).toEqual(changing.map(({ id }) => id).toSorted())
  })

  scene("tells who did what to what, in which request", () =>
    Effect.gen(function* () {
      const { caller, feed, told, workspaceId } = yield* arrange
      const jobs = yield* Jobs
      const job = yield* jobs.trigger(caller, feed.id, {})
      yield* jobs.get(caller, feed.id, job.id)
      yield* jobs.cancel(caller, feed.id, job.id)
      const entries = yield* told
      expect(entries).toMatchObject([
        { operationId: "triggerSync", resource: { kind: "job", id: job.id }, outcome: "ok", changes: [] },
        { operationId: "cancelJob", resource: { kind: "job", id: job.id }, outcome: "ok" }
      ])
      for (const { actor, credential, requestId } of entries) {
        expect([actor, requestId]).toEqual([caller.cause, caller.requestId])
        expect(credential.kind).toBe(caller.principal.kind)
      }
      expect(yield* (yield* Audit).verify(workspaceId)).toMatchObject({ intact: true })
    })
  )

  scene("tells what was tried and did not succeed, and what was not allowed", () =>
    Effect.gen(function* () {
      const { caller, feed, told } = yield* arrange
      const jobs = yield* Jobs
      const job = yield* jobs.trigger(caller, feed.id, {})
      yield* told
      yield* Effect.flip(jobs.pause(caller, feed.id, job.id))
      const { workspace } = caller.principal
      const viewer = callerOf(
        { kind: "user", workspace, userId: "usr_viewer", email: "viewer@example.com", role: "viewer" },
        "request 2"
      )
      yield* Effect.flip(jobs.cancel(viewer, feed.id, job.id))
      expect(yield* told).toMatchObject([
        { operationId: "pauseJob", outcome: "failed" },
        {
          operationId: "cancelJob",
          outcome: "denied",
          actor: { kind: "user", userId: "usr_viewer" },
          requestId: "request 2"
        }
      ])
    })
  )

  scene("tells what a change changed, before and after, and nothing else", () =>
    Effect.gen(function* () {
      const { caller, feed, told } = yield* arrange
      yield* (yield* Feeds).update(caller, feed.id, { name: "Renamed", order: feed.order }, undefined)
      const tables = yield* Tables
      const table = yield* tables.create(caller, { name: "Books", fields: [{ name: "Day", type: "date" }] } as never)
      yield* tables.update(caller, table.id, { name: "Accounts" }, undefined)
      expect((yield* told).map(({ changes, operationId, resource }) => [operationId, resource?.kind, changes])).toEqual(
        [
          ["updateFeed", "feed", [{ field: "name", before: feed.name, after: "Renamed" }]],
          ["createTable", "table", []],
          ["updateTable", "table", [{ field: "name", before: "Books", after: "Accounts" }]]
        ]
      )
    })
  )

  scene("tells what changed in the block of an enrichment, and no address in it", () =>
    Effect.gen(function* () {
      const { caller, told } = yield* arrange
      const enrichments = yield* Enrichments
      const alertConfig = {
        conditions: { logic: "and", conditions: [{ field: "amount", operator: "lt", value: "-100" }] },
        destinations: [{ type: "slack", webhookUrl: "https://hooks.example.com/services/T0/B0/0123456789" }]
      }
      const request = { name: "Large", type: "alert", dataType: "transactions", allFeeds: true } as const
      const { enrichment } = yield* enrichments.create(caller, { ...request, blocks: { alertConfig } })
      yield* enrichments.update(caller, enrichment.id, { blocks: { alertConfig: { ...alertConfig, perRunCap: 9 } } })
      const entries = yield* told
      const destinations = [{ type: "slack", webhookUrl: "https://hooks.example.com/****6789" }]
      const before = { ...alertConfig, destinations }
      expect(entries.map(({ changes }) => changes)).toEqual([
        [],
        [{ field: "config", before, after: { ...before, perRunCap: 9 } }]
      ])
    })
  )

  scene("has one entry where use cases ask each other", () =>
    Effect.gen(function* () {
      const { caller, feed, told } = yield* arrange
      yield* (yield* Jobs).trigger(caller, feed.id, {})
      yield* (yield* Feeds).remove(caller, feed.id, undefined)
      expect((yield* told).map(({ operationId }) => operationId)).toEqual(["triggerSync", "deleteFeed"])
    })
  )
})
