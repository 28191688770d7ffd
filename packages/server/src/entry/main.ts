/** The bundled server, for programs that start it with adapters of their own. */
export { run as runProcess } from "../Process.ts"
export { layerApi, layerKernel } from "../Server.ts"
export { settingNames, settings } from "../Settings.ts"
export * as Terminal from "../Terminal.ts"
export { start as startPostgres } from "../postgres/EmbeddedPostgres.ts"
