/** The bundled server, for programs that start it with adapters of their own. */
export { run as runProcess } from "../Process.ts"
export { DatabaseUnusable } from "../Database.ts"
export { KeyDiffers, layerApi, layerKernel, ListenFailure } from "../Server.ts"
export { settingNames, settings } from "../Settings.ts"
export * as Terminal from "../Terminal.ts"
export { start as startPostgres } from "../postgres/EmbeddedPostgres.ts"
export { PostgresFailure } from "../postgres/PostgresFailure.ts"
