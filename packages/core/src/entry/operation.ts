/** Operations: how each is defined, and what all of them share. */
export {
  type Audits,
  audits,
  type AnyDefinition,
  type Asked,
  type Definition,
  type Example,
  file,
  operation,
  raw,
  type RawRequest,
  type Served,
  type ServicesOf
} from "../operation/Definition.ts"
export { furtherErrors } from "../operation/Declared.ts"
export { makeCalls } from "../operation/Calls.ts"
export { collectionOperations } from "../operation/CollectionOperations.ts"
export { Amount, amountComponent, rawNumber } from "../operation/Amount.ts"
export {
  type Answer,
  answerOf,
  busy,
  defect,
  draining,
  invalidRequest,
  isFinal,
  type KernelError,
  timedOut
} from "../operation/ErrorAnswer.ts"
export { familyScopeComponent } from "../operation/Family.ts"
export { filterComponent } from "../operation/Filter.ts"
export { freshList, freshness } from "../operation/Freshness.ts"
export { idsOf, type ParametersOf } from "../operation/PathIds.ts"
export { paging } from "../operation/Parameters.ts"
export { exampleIds } from "../operation/Examples.ts"
export * as StrictJson from "../operation/StrictJson.ts"
export {
  Accepted,
  deleted,
  done,
  Links,
  list,
  orAccepted,
  record,
  type Rows,
  type Success,
  type SuccessKind,
  whole
} from "../operation/Success.ts"
