/** The /v1 API as a layer over the use cases, and what surrounds it. */
export type { OperationServices } from "../App.ts"
export { Readiness } from "../Readiness.ts"
export { guard, serve, serverOptions } from "../Server.ts"
export { type AccessEntry, AccessLog, jsonLineOf, plainLineOf } from "../middleware/AccessLog.ts"
export { Compressor, type Encoding } from "../middleware/Compression.ts"
export { within } from "../middleware/Deadline.ts"
export { TrustedProxies } from "../request/Person.ts"
