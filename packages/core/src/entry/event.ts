/** Events: what happened in a workspace, in the order in which it took effect. */
export type { LoggedEvent, NewEvent } from "../event/Event.ts"
export { Events } from "../event/Events.ts"
