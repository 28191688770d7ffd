/** Which fields a record has at some point of the pipeline, and of what type. */
import { fieldsOf, type DataType, type FieldSpecs, type FieldType } from "./DataType.ts"

/** Field key -> type. Fields that are not listed are custom: text unless an enrichment declared them. */
export type FieldCatalog = ReadonlyMap<string, FieldType>

const catalogs = new Map<DataType, FieldCatalog>()

const entriesOf = (specs: FieldSpecs) => Object.entries(specs).map(([key, { type }]) => [key, type] as const)

/** The source fields of a data type, and those that a feed declares itself. */
export const catalogOf = (dataType: DataType, declared?: FieldSpecs): FieldCatalog => {
  let catalog = catalogs.get(dataType)
  if (catalog === undefined) {
    catalog = new Map(entriesOf(fieldsOf[dataType]))
    catalogs.set(dataType, catalog)
  }
  return declared === undefined ? catalog : new Map([...catalog, ...entriesOf(declared)])
}
