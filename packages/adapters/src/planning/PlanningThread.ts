/** A thread that plans for the bundled set kinds, one plan after the other. */
import { parentPort } from "node:worker_threads"
import type { RateTable } from "@millrace/core"
import {
  type AnyKind,
  bundledKinds,
  EnrichmentFault,
  type PlanFigure,
  planHere,
  type SetKind,
  type SetRecord,
  type StoredPartition,
  type StoredPlan,
  tooMuchWork
} from "@millrace/core/enrichment"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { sha256 } from "../digest/NodeDigest.ts"
import { re2Patterns } from "../pattern/Re2Patterns.ts"
import { type Answer, type PlanQuestion, portion, type Request } from "./Messages.ts"

const kinds = new Map<string, AnyKind>(bundledKinds({ patterns: re2Patterns, sha256 }).map((kind) => [kind.type, kind]))

const send = (answer: Answer): void => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(answer)
}

interface Reading {
  readonly found: Map<string, { records: Array<SetRecord>; state: StoredPartition["state"] }>
  readonly resume: (found: ReadonlyMap<string, StoredPartition>) => void
}

let count = 0
const readings = new Map<number, Reading>()
const figures = new Map<number, (figures: ReadonlyArray<PlanFigure>) => void>()
let news = new Set<string>()
let rates: RateTable.RateTable | undefined
/** Called when the portion that was sent last has been taken. */
let taken: (() => void) | undefined

const read = (keys: ReadonlyArray<string>) =>
  keys.length === 0
    ? Effect.succeed(new Map<string, StoredPartition>())
    : Effect.callback<ReadonlyMap<string, StoredPartition>>((resume) => {
        const id = ++count
        readings.set(id, { found: new Map(), resume: (found) => resume(Effect.succeed(found)) })
        send({ kind: "read", id, keys })
      })

const figuresOfOthers = Effect.callback<ReadonlyArray<PlanFigure>>((resume) => {
  const id = ++count
  figures.set(id, (found) => resume(Effect.succeed(found)))
  send({ kind: "figures", id })
})

const planned = ({ catalog, config, data, type, units }: PlanQuestion) =>
  Effect.suspend(() => {
    const kind = kinds.get(type) as SetKind
    return planHere({
      kind,
      config,
      catalog,
      prepared: kind.prepare(Schema.decodeUnknownSync(kind.Config)(config), catalog),
      data: { ...data, rates: rates! },
      units,
      sha256,
      isPast: (recordId) => !news.has(recordId),
      figures: figuresOfOthers,
      read
    })
  })

const weightOf = ({ claims, links }: StoredPlan): number => 1 + claims.length + links.length

const tell = async (plans: ReadonlyMap<string, StoredPlan>): Promise<void> => {
  let some: Array<readonly [string, StoredPlan]> = []
  let weight = 0
  const pass = () =>
    new Promise<void>((resolve) => {
      taken = resolve
      send({ kind: "plans", plans: some })
      some = []
      weight = 0
    })
  for (const one of plans) {
    some.push(one)
    weight += weightOf(one[1])
    if (weight >= portion) await pass()
  }
  if (some.length > 0) await pass()
  send({ kind: "end" })
}

const answer = async (question: PlanQuestion): Promise<void> => {
  rates = question.rates ?? rates
  news = new Set()
  const exit = await Effect.runPromiseExit(planned(question))
  if (Exit.isSuccess(exit)) return tell(exit.value)
  const error = Cause.squash(exit.cause)
  if (error === tooMuchWork) return send({ kind: "limit" })
  const reason = error instanceof EnrichmentFault && error.reason === "input" ? "input" : "defect"
  send({ kind: "fault", reason, message: error instanceof Error ? error.message : String(error) })
}

parentPort?.on("message", (request: Request) => {
  switch (request.kind) {
    case "plan":
      void answer(request.question)
      break
    case "records": {
      const { found } = readings.get(request.id)!
      const known = found.get(request.key)
      if (known === undefined) found.set(request.key, { records: [...request.records], state: request.state })
      else for (const record of request.records) known.records.push(record)
      break
    }
    case "read": {
      const { found, resume } = readings.get(request.id)!
      readings.delete(request.id)
      for (const id of request.news) news.add(id)
      resume(found)
      break
    }
    case "figures": {
      const resume = figures.get(request.id)!
      figures.delete(request.id)
      resume(request.figures)
      break
    }
    case "next":
      taken?.()
  }
})

send({ kind: "ready" })
