/** Which fields a record has at some point of the pipeline, and of what type. */
import { fieldsOf, type DataType, type FieldType, type SyncDataType } from "./DataType.ts"

/** Field key -> type. Fields that are not listed are custom: text unless an enrichment declared them. */
export type FieldCatalog = ReadonlyMap<string, FieldType>

const catalogs = new Map<SyncDataType, FieldCatalog>()

/** The source fields of a data type. */
export const catalogOf = (dataType: DataType): FieldCatalog => {
  const specs = fieldsOf[dataType as SyncDataType] as (typeof fieldsOf)[SyncDataType] | undefined
  if (specs === undefined) return new Map()
  let catalog = catalogs.get(dataType as SyncDataType)
  if (catalog === undefined) {
    catalog = new Map(Object.entries(specs).map(([key, spec]) => [key, spec.type]))
    catalogs.set(dataType as SyncDataType, catalog)
  }
  return catalog
}
