/** Events: what happened in a workspace, in the order in which it took effect. */
export type { Event, EventId, LoggedEvent, NewEvent } from "../event/Event.ts"
export { type EventConsumer, eventConsumer, EventNotHandled } from "../event/EventConsumer.ts"
export { type EventType, eventType, eventTypes } from "../event/EventType.ts"
export { Events, type FollowOptions } from "../event/Events.ts"
