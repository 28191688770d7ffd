/** The examples of answers in the OpenAPI document, from the example data of each operation. */
import { type AnyDefinition, exampleIds } from "@millrace/core/operation"
import { envelopeOf } from "../answer/Envelope.ts"

const ids: Readonly<Record<string, string>> = exampleIds

const exampleTarget = (path: string): string =>
  path.replaceAll(/:(\w+?)(?:_id)?(?=\/|$)/g, (_, name: string) => ids[name] ?? name)

/** The whole answer with this status; `undefined` where the operation has no example. */
export const exampleAnswer = (definition: AnyDefinition, status: number): unknown => {
  const { example, path, success } = definition
  if (status === 202 && success.accepted !== undefined) {
    return example.accepted === undefined ? undefined : { success: true, data: example.accepted }
  }
  const answer =
    success.kind === "list"
      ? { rows: [example.data], meta: example.meta }
      : success.kind === "record" && success.meta !== undefined
        ? { data: example.data, meta: example.meta }
        : example.data
  return envelopeOf(definition, answer, exampleTarget(path))
}
