/** Setting fields of records, and undoing what enrichments changed. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { UsageFault } from "../program/Failure.ts"
import { stringify } from "../output/ExactJson.ts"
import { showRecord } from "../request/Requests.ts"
import { checkJson } from "../program/Input.ts"
import { jsonFrom } from "./Body.ts"
import { idArgument, pairs, text, toggle } from "./Flags.ts"

const id = idArgument("record")
const pathOf = (record: string, rest: string): string => `/v1/records/${record}/${rest}`

const several = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar("<field>"), Flag.withDescription(description), Flag.atLeast(0))

const set = Command.make(
  "set",
  {
    id,
    set: pairs("set", "What a field holds; may be given several times"),
    empty: several("empty", "A field that holds nothing; may be given several times"),
    lock: several("lock", "A field that stays as it is shown now; may be given several times"),
    split: text(
      "split",
      "<json>",
      "Lines that the record falls into: JSON, or @file with it, as {lines: [{amount, set}, ...]}; the last has what is left"
    ),
    whole: toggle("whole", "Take a split back: the record is whole again")
  },
  ({ empty, id: record, lock, set: given, split, whole }) =>
    Effect.gen(function* () {
      if (given.length + empty.length + lock.length === 0 && Option.isNone(split) && !whole) {
        return yield* new UsageFault({ message: "Name a field with --set, --empty or --lock, or lines with --split." })
      }
      if (whole && Option.isSome(split)) {
        return yield* new UsageFault({ message: "Give --split or --whole, not both." })
      }
      const lines = Option.isSome(split) ? yield* checkJson(yield* jsonFrom(split.value, "--split"), "--split") : null
      const fields = Object.fromEntries([...given, ...empty.map((name) => [name, null] as const)])
      const body = {
        ...(Object.keys(fields).length === 0 ? {} : { fields }),
        ...(lock.length === 0 ? {} : { lock: [...lock] }),
        ...(whole || Option.isSome(split) ? { split: lines } : {})
      }
      yield* showRecord({ method: "PUT", path: pathOf(record, "fields"), body: stringify(body) })
    })
).pipe(
  Command.withDescription("Say what fields of a record hold, or lock them as they are: no enrichment overrules it"),
  Command.withShortDescription("Say what fields of a record hold"),
  Command.withExamples([
    {
      command: "millrace records set txn_... --set category=Gifts --lock merchantName",
      description: "A gift, for good"
    },
    {
      command: `millrace records set txn_... --split '{"lines":[{"amount":"-15.00","set":{"category":"Cash"}},{}]}'`,
      description: "15.00 of it were cash"
    }
  ])
)

const redo = toggle("redo", "Take back an undo of the same")

const undo = Command.make(
  "undo",
  {
    id,
    field: text("field", "<field>", "The field; without it, all of the enrichment"),
    enrichment: text(
      "enrichment",
      "<enrichment-id>",
      "The enrichment; without it, the one whose word about the field holds"
    ),
    link: text("link", "<link-id>", "A link to other records, such as a transfer: they are not tied together again"),
    redo
  },
  ({ enrichment, field, id: record, link, redo: again }) =>
    Effect.gen(function* () {
      if (Option.isNone(field) && Option.isNone(enrichment) && Option.isNone(link)) {
        return yield* new UsageFault({
          message: "Name a field with --field, an enrichment with --enrichment, or a link with --link."
        })
      }
      const body = {
        ...(Option.isSome(field) ? { field: field.value } : {}),
        ...(Option.isSome(enrichment) ? { enrichmentId: enrichment.value } : {}),
        ...(Option.isSome(link) ? { linkId: link.value } : {}),
        ...(again ? { redo: true } : {})
      }
      yield* showRecord({ method: "POST", path: pathOf(record, "undo"), body: stringify(body) })
    })
).pipe(
  Command.withDescription("Silence an enrichment about a field of a record, or about all of it; or take a link apart"),
  Command.withShortDescription("Undo what an enrichment changed")
)

/** Below `records`. */
export const recordCommands = [set, undo] as const
