/** The bundled destinations, one line each: the driver, or the effect that makes it, under the name of its type. */
export { make as file } from "./file/FileDestination.ts"
export { make as table } from "./table/TableDestination.ts"
