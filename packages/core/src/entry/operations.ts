/** The bundled operations, each under its id. */
export { definitions } from "../operations.generated.ts"
export { stepToWire } from "../bank/operations/ConnectionRecord.ts"
