/** For authors of destinations: what a driver promises, the columns and rows that it is given, and the states of a delivery. */
export { columnsOf, defaultMappings } from "../destination/Columns.ts"
export { Delivery, DeliveryState, deliveryStates, UnconfirmedAttempt } from "../destination/Delivery.ts"
export {
  type ClaimedPlace,
  type Column,
  type ConfigFault,
  type DestinationCapabilities,
  DestinationColumnMissing,
  type DestinationDriver,
  type DestinationError,
  DestinationRejected,
  type DestinationSession,
  DestinationUnavailable,
  type Edit,
  type Outgoing,
  type Receipt,
  type WriteModel,
  type WrittenFile
} from "../destination/Destination.ts"
export { type Destination, DestinationNotAvailable, destinationOf, Destinations } from "../destination/Destinations.ts"
