/** Places at which a process can die, or an answer can be lost: around every call of a service. */
export { mapCalls } from "../fault/Calls.ts"
export { type Edge, FaultPoints } from "../fault/FaultPoints.ts"
