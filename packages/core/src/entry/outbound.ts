/** Requests that leave the program: the one port that drivers send them through. */
export { inTurn, Outbound, OutboundFailure, type OutboundRequest, type OutboundResponse } from "../outbound/Outbound.ts"
