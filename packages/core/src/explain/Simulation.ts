/** A simulation that is played in the background: there is too much to look at for one answer (enrichments F2). */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Option } from "effect/Option"
import * as Schema from "effect/Schema"
import { ActorRef } from "../access/ActorRef.ts"
import { Secrets, type SecretsUnreadable } from "../bank/Secrets.ts"
import { Enrichment } from "../enrichment/Enrichment.ts"
import { EnrichmentFact } from "../enrichment/kinds/EnrichmentFact.ts"
import { DataType } from "../record/DataType.ts"
import { resource } from "../resource/Resource.ts"
import { Resources } from "../resource/Resources.ts"
import * as CalendarDate from "../shared/CalendarDate.ts"
import { Id } from "../shared/Ids.ts"
import { Timestamp } from "../shared/Timestamp.ts"
import type { StorageUnavailable } from "../storage/StorageUnavailable.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import { SimulationReport } from "./SimulationReport.ts"

export type SimulationId = Id<"simulation">

/** `queued` and `running` are open; the others are ends. */
const SimulationStatus = Schema.Literals(["queued", "running", "completed", "failed", "cancelled"])
export type SimulationStatus = typeof SimulationStatus.Type

const SimulationStage = Schema.Literals(["reading", "planning", "comparing"])

export const Simulation = Schema.Struct({
  id: Id("simulation"),
  workspaceId: Id("workspace"),
  status: SimulationStatus,
  /** What it is at: each record is read once to be planned and once to be compared. Absent before it began. */
  stage: Schema.optionalKey(SimulationStage),
  /** Records that it has read in this stage. */
  records: Schema.Int,
  /** Once it is completed. */
  report: Schema.optionalKey(SimulationReport),
  /** Why it failed, for people. */
  error: Schema.optionalKey(Schema.String),
  createdBy: ActorRef,
  createdAt: Timestamp,
  startedAt: Schema.optionalKey(Timestamp),
  endedAt: Schema.optionalKey(Timestamp),
  /** The same for equal questions about equal enrichments. */
  fingerprint: Schema.String,
  /** What is to be played, sealed where a disk is below; absent once it has ended. */
  input: Schema.optionalKey(Schema.String),
  version: Schema.Int
})
export type Simulation = typeof Simulation.Type

/** What is to be played. */
export const SimulationInput = Schema.Struct({
  dataTypes: Schema.Array(DataType),
  /** Enrichments that would be others, or `null` where there would be none. */
  changed: Schema.Array(Schema.Tuple([Id("enrichment"), Schema.NullOr(Enrichment)])),
  facts: Schema.Array(EnrichmentFact),
  lifted: Schema.Array(Id("fact")),
  today: CalendarDate.CalendarDate,
  from: Schema.optionalKey(CalendarDate.CalendarDate),
  to: Schema.optionalKey(CalendarDate.CalendarDate),
  /** Feeds that get them. */
  feedIds: Schema.Array(Id("feed"))
})
export type SimulationInput = typeof SimulationInput.Type

export const isOpen = ({ status }: Simulation): boolean => status === "queued" || status === "running"

/** The newest first. */
export const simulationResource = resource<Simulation>({
  name: "simulation",
  schema: Simulation,
  columns: { status: "text", createdAt: "text" },
  order: [{ field: "createdAt", direction: "descending", always: true }],
  versioned: true,
  filters: ["status"]
})

const encodeInput = Schema.encodeSync(Schema.fromJsonString(Schema.toCodecJson(SimulationInput)))
const decodeInput = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.toCodecJson(SimulationInput)))

type Of = Pick<Simulation, "id" | "workspaceId">

/** What the input of a simulation is sealed for. */
const sealedFor = ({ id, workspaceId }: Of): string => `simulation|${workspaceId}|${id}`

interface Sealing {
  readonly seal: (text: string, of: Of) => Effect.Effect<string>
  readonly open: (sealed: string, of: Of) => Effect.Effect<string, SecretsUnreadable>
}

const inTheOpen: Sealing = { seal: Effect.succeed, open: Effect.succeed }

const make = <R>(sealing: Effect.Effect<Sealing, never, R>) =>
  Effect.gen(function* () {
    const { open: openResource } = yield* Resources
    const store = openResource(simulationResource)
    const { open, seal } = yield* sealing
    return SimulationStore.of({
      insert: Effect.fn("SimulationStore.insert")(function* (simulation, input) {
        yield* store.insert({ ...simulation, input: yield* seal(encodeInput(input), simulation) })
      }),
      update: store.update,
      get: store.get,
      open: (workspaceId) => store.list([workspaceId], { status: { oneOf: ["queued", "running"] } }),
      inputOf: ({ input, ...of }) =>
        input === undefined ? Effect.undefined : Effect.map(open(input, of), (text) => decodeInput(text)),
      forget: (workspaceId, below) => Effect.asVoid(store.removeAll(workspaceId, { createdAt: { below } }))
    })
  })

export class SimulationStore extends Context.Service<
  SimulationStore,
  {
    readonly insert: (
      simulation: Omit<Simulation, "input">,
      input: SimulationInput
    ) => Effect.Effect<void, StorageUnavailable>
    /** As it is with a version that is one higher; `false` where somebody else changed it. */
    readonly update: (simulation: Simulation) => Effect.Effect<boolean, StorageUnavailable>
    readonly get: (workspaceId: WorkspaceId, id: SimulationId) => Effect.Effect<Option<Simulation>, StorageUnavailable>
    /** Those that have not ended. */
    readonly open: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<Simulation>, StorageUnavailable>
    /** `undefined` once it has ended. */
    readonly inputOf: (simulation: Simulation) => Effect.Effect<SimulationInput | undefined, SecretsUnreadable>
    /** Removes those that were made before an instant. */
    readonly forget: (workspaceId: WorkspaceId, before: Timestamp) => Effect.Effect<void, StorageUnavailable>
  }
>()("@millrace/core/explain/SimulationStore") {
  static readonly layer: Layer.Layer<SimulationStore, never, Resources> = Layer.effect(
    SimulationStore,
    make(Effect.succeed(inTheOpen))
  )

  /** Keeps what is to be played sealed, since enrichments name addresses: for storage that reaches a disk. */
  static readonly layerSealed: Layer.Layer<SimulationStore, never, Resources | Secrets> = Layer.effect(
    SimulationStore,
    make(
      Effect.map(Secrets, ({ open, seal }): Sealing => ({
        seal: (text, of) => seal({ input: text }, sealedFor(of)),
        open: (sealed, of) => Effect.map(open(sealed, sealedFor(of)), ({ input = "" }) => input)
      }))
    )
  )
}
