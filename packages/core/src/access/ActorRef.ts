/** Who did something (specification 2.3). No further properties are allowed. */
import * as Schema from "effect/Schema"

const text = Schema.NonEmptyString
const depth = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
const untrustedSender = Schema.optionalKey(Schema.Literal(true))

const direct = [
  Schema.Struct({ kind: Schema.Literal("user"), userId: text }),
  Schema.Struct({
    kind: Schema.Literal("sync"),
    feedId: text,
    jobId: Schema.optionalKey(text),
    cause: Schema.optionalKey(Schema.Struct({ automationId: text, runId: text, depth, untrustedSender }))
  }),
  Schema.Struct({ kind: Schema.Literal("extractor"), feedId: text, jobId: Schema.optionalKey(text), untrustedSender }),
  Schema.Struct({ kind: Schema.Literal("import"), importId: text, userId: text }),
  Schema.Struct({ kind: Schema.Literal("api"), clientId: text }),
  Schema.Struct({ kind: Schema.Literal("system"), reason: text })
] as const

type Direct = (typeof direct)[number]["Type"]

export type ActorRef =
  | Direct
  | {
      readonly kind: "automation"
      readonly automationId: string
      readonly revision: number
      readonly grantId: string
      readonly runId: string
      readonly node: string
      readonly startedBy: ActorRef
      readonly depth: number
      readonly untrustedSender?: true
    }

export const ActorRef: Schema.Codec<ActorRef> = Schema.Union([
  ...direct,
  Schema.Struct({
    kind: Schema.Literal("automation"),
    automationId: text,
    revision: Schema.Int,
    grantId: text,
    runId: text,
    node: text,
    startedBy: Schema.suspend((): Schema.Codec<ActorRef> => ActorRef),
    depth,
    untrustedSender
  })
]).annotate({ identifier: "ActorRef" })
