/** And/or trees of comparisons (specification 2.3, enrichments E1). */
import * as Schema from "effect/Schema"
import { limits } from "../shared/Limits.ts"
import { Operator } from "./Operator.ts"

export interface Leaf {
  readonly field: string
  readonly operator: Operator
  readonly value?: string | number
}

export interface ConditionGroup {
  readonly logic: "and" | "or"
  readonly conditions: ReadonlyArray<ConditionNode>
}
export type ConditionNode = Leaf | ConditionGroup

export interface EncodedLeaf {
  readonly field: string
  readonly operator: string
  readonly value?: string | number
}
export interface EncodedGroup {
  readonly logic: "and" | "or"
  readonly conditions: ReadonlyArray<EncodedLeaf | EncodedGroup>
}

/** Sent numbers are compared by their shortest decimal text. */
export const ScalarValue = Schema.Union([Schema.String, Schema.Finite], {}).annotate({
  expected: "text or a number"
})

const Leaf = Schema.Struct({
  field: Schema.NonEmptyString.check(Schema.isMaxLength(limits.mappingKeyLength)),
  operator: Operator,
  value: Schema.optionalKey(ScalarValue)
})

const Nested = Schema.Struct({
  logic: Schema.Literals(["and", "or"]),
  conditions: Schema.NonEmptyArray(
    Schema.Union([Leaf, Schema.suspend((): Schema.Codec<ConditionGroup, EncodedGroup> => Nested)])
  )
})

export const isGroup = (node: ConditionNode): node is ConditionGroup => "conditions" in node

/** Nodes of a tree and the length of its longest branch, the root included in both. */
const sizeOf = (node: ConditionNode): { readonly nodes: number; readonly depth: number } => {
  if (!isGroup(node)) return { nodes: 1, depth: 0 }
  let nodes = 1
  let depth = 0
  for (const child of node.conditions) {
    const size = sizeOf(child)
    nodes += size.nodes
    depth = Math.max(depth, size.depth)
  }
  return { nodes, depth: depth + 1 }
}

/** At most 256 nodes, the root left out, and groups nested at most 8 deep. */
export const ConditionGroup: Schema.Codec<ConditionGroup, EncodedGroup> = Nested.check(
  Schema.makeFilter((group) => {
    const size = sizeOf(group)
    return size.nodes - 1 > limits.conditionsPerGroup
      ? `has ${size.nodes - 1} conditions; at most ${limits.conditionsPerGroup} are possible`
      : size.depth > limits.conditionDepth
        ? `is nested ${size.depth} deep; at most ${limits.conditionDepth} are possible`
        : undefined
  })
)

/** Every leaf with its path below `path`, such as `conditions.conditions[1].conditions[0]`. */
export const leavesOf = function* (group: ConditionGroup, path: string): Generator<readonly [Leaf, string]> {
  for (const [index, node] of group.conditions.entries()) {
    const at = `${path}.conditions[${index}]`
    if (isGroup(node)) yield* leavesOf(node, at)
    else yield [node, at]
  }
}
