/** Types of events. Each noun declares its own; anyone who adds to the kernel declares more in the same way. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { ActorRef } from "../access/ActorRef.ts"
import type { WorkspaceId } from "../workspace/Workspace.ts"
import type { NewEvent } from "./Event.ts"

export interface EventType<Data> {
  /** Lower-case words joined by dots: the noun first, what happened last. */
  readonly type: string
  /** The noun that the events are about. */
  readonly subject: string
  /** One sentence for the reference. */
  readonly summary: string
  /** Whether webhook endpoints can subscribe to it (decisions 5.10). */
  readonly outbound: boolean
  readonly data: Schema.Codec<Data, Schema.Json>
  /** An event of this type that is ready for the log. */
  readonly of: (event: {
    readonly workspaceId: WorkspaceId
    readonly subjectId: string
    readonly cause: ActorRef
    readonly data: Data
  }) => NewEvent
  /** The same as an enrichment of a set kind plans it; `key` names it for ever within the enrichment. */
  readonly planned: (event: { readonly key: string; readonly subjectId: string; readonly data: Data }) => {
    readonly key: string
    readonly type: string
    readonly subjectId: string
    readonly data: Schema.Json
  }
  /** The data of an event of this type; `None` for events of other types. */
  readonly dataOf: (event: NewEvent) => Option.Option<Data>
}

const form = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/

/** Declares a type of events. Dies where the name has another form than `noun.what_happened`. */
export const eventType = <Data>(
  declared: Pick<EventType<Data>, "type" | "subject" | "summary" | "data"> & { readonly outbound?: boolean }
): EventType<Data> => {
  const { data, outbound = false, subject, summary, type } = declared
  if (!form.test(type)) throw new TypeError(`"${type}" is no name of an event: write it as noun.what_happened`)
  const encode = Schema.encodeSync(data)
  const decode = Schema.decodeUnknownOption(data)
  return {
    type,
    subject,
    summary,
    outbound,
    data,
    of: (event) => ({
      workspaceId: event.workspaceId,
      type,
      subject: { kind: subject, id: event.subjectId },
      cause: event.cause,
      data: encode(event.data)
    }),
    planned: (event) => ({ key: event.key, type, subjectId: event.subjectId, data: encode(event.data) }),
    dataOf: (event) => (event.type === type ? decode(event.data) : Option.none())
  }
}

/** Declares types of events that are about the same and have the same data: by their names, with what each says. */
export const eventTypes = <Name extends string, Data>(
  common: Pick<EventType<Data>, "subject" | "data"> & { readonly outbound?: boolean },
  summaries: Readonly<Record<Name, string>>
): Readonly<Record<Name, EventType<Data>>> =>
  Object.fromEntries(
    Object.entries<string>(summaries).map(([type, summary]) => [type, eventType({ ...common, type, summary })])
  ) as Record<Name, EventType<Data>>
