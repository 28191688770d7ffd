/** The bundled destinations. */
export { workspaceFolder } from "../destination/file/FilePlace.ts"
export * as TableDestination from "../destination/table/TableDestination.ts"
