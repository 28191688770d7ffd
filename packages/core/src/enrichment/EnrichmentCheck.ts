/** Whether an enrichment could run: its type, its data type and its block (enrichments A1). */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Detail } from "../failure/Failure.ts"
import { destinationFaults, type MessageDestination, MessageDestinations } from "../message/MessageDestination.ts"
import type { NamedHosts } from "../message/MessageHosts.ts"
import { catalogOf } from "../record/FieldCatalog.ts"
import { decode } from "../shared/StrictDecoding.ts"
import type { Enrichment } from "./Enrichment.ts"
import { type Blocks, blockName } from "./EnrichmentContract.ts"
import type { EnrichmentType } from "./kinds/EnrichmentType.ts"
import type { Issue } from "./kinds/Kind.ts"
import type { Kinds } from "./Kinds.ts"

/** What is wrong with a request, and what is only suspicious. */
export interface Findings {
  /** Of what stands at the top of a request (400). */
  readonly top: Array<Detail>
  /** Inside of its block, or between what is right by itself (422). */
  readonly inside: Array<Detail>
  readonly lints: Array<Issue>
}

export const noFindings = (): Findings => ({ top: [], inside: [], lints: [] })

/** The block of the type among those that were given. Those of other types are faults. */
export const blockOf = (type: EnrichmentType, blocks: Blocks | undefined, found: Findings): Schema.Json | undefined => {
  const name = blockName(type)
  for (const other of Object.keys(blocks ?? {})) {
    if (other !== name) found.top.push({ field: other, message: `is not the block of ${type}, which is ${name}` })
  }
  return blocks?.[name]
}

/** What is wrong with a type that no kind has. */
export const unknownType = (kinds: Kinds["Service"]): Detail => ({
  field: "type",
  message: `must be one of ${kinds.all.map(({ type }) => type).join(", ")}`
})

const HasDestinations = Schema.Struct({ destinations: MessageDestinations })

/** Kinds have the places that their messages go to in a list called `destinations` at the top of their block. */
const destinationsOf = (config: unknown): ReadonlyArray<MessageDestination> =>
  Schema.is(HasDestinations)(config) ? config.destinations : []

/** `hosts`: those of the own network that messages may go to. */
export const judge = (
  { config, dataType, type, workspaceId }: Pick<Enrichment, "config" | "dataType" | "type" | "workspaceId">,
  kinds: Kinds["Service"],
  hosts: NamedHosts,
  found: Findings
): void => {
  const kind = kinds.get(type)
  if (kind === undefined) {
    found.top.push(unknownType(kinds))
    return
  }
  if (!kind.capabilities.dataTypes.includes(dataType)) {
    found.top.push({ field: "dataType", message: `${type} does not apply to ${dataType}` })
  }
  const decoded = decode(kind.Config, config)
  const block = blockName(type)
  const at = (field: string) => (field === "" ? block : `${block}.${field}`)
  const placed = ({ field, message }: Issue): Issue => ({ field: at(field), message })
  if (Result.isFailure(decoded)) {
    found.inside.push(...decoded.failure.map(placed))
    return
  }
  const { errors, lints } = kind.check(decoded.success, catalogOf(dataType), workspaceId)
  found.inside.push(...errors.map(placed), ...destinationFaults(destinationsOf(decoded.success), hosts).map(placed))
  found.lints.push(...lints.map(placed))
}

/** The stage that an enrichment runs at; those that cannot run come last. */
export const stageOf = (
  { config, type }: { readonly type: EnrichmentType; readonly config: Schema.Json },
  kinds: Kinds["Service"]
): number => {
  const kind = kinds.get(type)
  const decoded = kind === undefined ? undefined : decode(kind.Config, config)
  return decoded !== undefined && Result.isSuccess(decoded) ? kind!.stage(decoded.success) : Number.MAX_SAFE_INTEGER
}
