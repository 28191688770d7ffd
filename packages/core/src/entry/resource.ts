/** Plain things that are stored: their definition is all that there is to write. */
export { type Body, bodyOf } from "../resource/Body.ts"
export {
  type AnyDefinition,
  type Cell,
  type ColumnType,
  type Definition,
  type KeyedDefinition,
  keyedResource,
  orderOf,
  type OrderBy,
  type Place,
  type Plain,
  resource,
  type UniqueKey
} from "../resource/Resource.ts"
export {
  type Bounds,
  type KeyedStore,
  KeyTaken,
  type PageQuery,
  Resources,
  type ResourceStore
} from "../resource/Resources.ts"
