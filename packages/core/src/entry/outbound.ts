/** Requests that leave the program: the one port that drivers send them through. */
export {
  forPurpose,
  inTurn,
  Outbound,
  OutboundFailure,
  type OutboundPurpose,
  type OutboundRequest,
  type OutboundResponse,
  sharedPurposes
} from "../outbound/Outbound.ts"
