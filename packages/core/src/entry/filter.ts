/** The filter language: fields, clauses, the plan that every evaluator follows, and the explanation of the clause that decided. */
export { bind } from "../filter/Bind.ts"
export { compile, type RelatedRows } from "../filter/Compile.ts"
export { type DecidingClause, explainFilter } from "../filter/Explain.ts"
export type { CellValue, FilterField, FilterFields, FilterFieldType, RowValues } from "../filter/FilterField.ts"
export {
  type FilterClause,
  type FilterGroup,
  FilterNode,
  type FilterNot,
  type FilterNumber,
  type FilterValue,
  isClause
} from "../filter/FilterNode.ts"
export type { FilterOperator } from "../filter/FilterOperator.ts"
export type { FilterPlan, Range, RelatedNode, Test, TestNode } from "../filter/FilterPlan.ts"
export { jsonNumberLength } from "../filter/JsonScalar.ts"
export { relativeDates } from "../filter/RelativeDate.ts"
