/** Sends the requests of one noun and writes down the answers. */
import { Audit, type AuditEntry } from "@millrace/core/audit"
import { actorIdOf } from "../../../core/src/audit/AuditEntry.ts"
import * as Effect from "effect/Effect"
import type { Documented } from "./Operation.ts"
import { bodyOf, headersOf, lineOf } from "./Golden.ts"
import { probesOf } from "./Probes.ts"
import type { Answer, World } from "./World.ts"
import { type Asked, contentOf, type Given, type Requests, sendTo, targetOf } from "./Request.ts"
import type { Scene } from "./Scene.ts"

/** Each part of an operation begins so many seconds after the one before it, so that a request more moves no other. */
const spacing = 100

/** Entries of the audit since it was asked last, oldest first. */
const auditNews = (world: World, scene: Scene) => {
  let last: string | undefined
  const newest = Effect.flatMap(Audit, (audit) => audit.list(scene.owner, scene.workspace.id, { limit: 50 }))
  return async (): Promise<ReadonlyArray<string>> => {
    const { rows } = await world.run(newest)
    const at = rows.findIndex(({ id }) => id === last)
    last = rows[0]?.id
    return (at === -1 ? rows : rows.slice(0, at)).toReversed().map((entry) => auditLine(entry))
  }
}

const auditLine = ({ actor, changes, operationId, outcome, resource }: AuditEntry): string =>
  [
    operationId,
    outcome,
    actorIdOf(actor),
    resource === undefined ? "-" : resource.id,
    ...changes.map((change) => JSON.stringify(change))
  ].join(" ")

const longestSent = 2_000

/** What was sent, as far as it is of interest. */
const shortOf = (given: Given): unknown =>
  given.raw !== undefined && given.raw.length > longestSent
    ? `${given.raw.length} characters`
    : (given.json ?? given.raw)

const sentOf = (operation: Documented, given: Given, scene: Scene) => ({
  request: `${given.method ?? operation.method} ${targetOf(operation, given, scene)}`,
  ...(given.as === undefined ? {} : { as: given.as }),
  ...(given.headers === undefined ? {} : { sentHeaders: given.headers }),
  ...(contentOf(given) === undefined ? {} : { sent: shortOf(given) })
})

/** A body that differs from the one that succeeded, for a repeat that is none. */
const otherBody = (given: Given): Given | undefined =>
  typeof given.json === "object" && given.json !== null
    ? { ...given, json: { ...given.json, name: "Something else" } }
    : undefined

/** Requests that must succeed, so that what is wrong with the others is the one thing that differs. */
const succeeded = (operation: Documented, { status, text }: Answer): void => {
  if (status >= 400) throw new Error(`${operation.id} did not succeed: ${status} ${text}`)
}

const foundOf = (one: Asked) => (typeof one === "function" ? one() : one)

export const record = async (
  world: World,
  scene: Scene,
  operations: ReadonlyArray<Documented>,
  requests: Requests
): Promise<Readonly<Record<string, unknown>>> => {
  const recorded: Record<string, unknown> = {}
  const news = auditNews(world, scene)
  await news()

  const answered = async (operation: Documented, given: Given, isFirst = false) => {
    const answer = await sendTo(world, scene, operation, given)
    if (isFirst) succeeded(operation, answer)
    const audit = await news()
    return {
      title: given.title,
      ...sentOf(operation, given, scene),
      status: answer.status,
      headers: headersOf(answer),
      ...(answer.text === "" ? {} : { body: bodyOf(answer) }),
      ...(audit.length === 0 ? {} : { audit })
    }
  }

  const again = async (operation: Documented, first: Given): Promise<ReadonlyArray<unknown>> => {
    if (!operation.parameters.some(({ name }) => name === "Idempotency-Key"))
      return [await answered(operation, first, true)]
    const headers = { ...first.headers, "idempotency-key": `replay-${operation.id}` }
    const keyed: Given = { ...first, headers }
    const other = otherBody(keyed)
    return [
      await answered(operation, keyed, true),
      await answered(operation, { ...keyed, title: "again with the same idempotency key" }),
      ...(other === undefined
        ? []
        : [await answered(operation, { ...other, title: "with the same idempotency key and another body" })])
    ]
  }

  for (const [id, asked] of Object.entries(requests)) {
    const operation = operations.find((one) => one.id === id)
    if (operation === undefined) throw new Error(`no such operation: ${id}`)
    await world.until(spacing)
    const [first, ...others] = asked
    if (first === undefined) throw new Error(`no request for ${id}`)
    const good = await foundOf(first)
    const probes: Record<string, string> = {}
    for (const probe of probesOf(operation, good, scene)) {
      const line = lineOf(await sendTo(world, scene, operation, probe))
      const audit = await news()
      probes[probe.title] = [line, ...audit.map((entry) => `audit: ${entry}`)].join(" ")
    }
    await world.until(spacing)
    const answers: Array<unknown> = [...(await again(operation, good))]
    for (const one of others) answers.push(await answered(operation, await foundOf(one)))
    recorded[operation.id] = { operation: `${operation.method} ${operation.path}`, answers, refused: probes }
  }
  return recorded
}
