/** The job engine within one process, and what runs beside it. */
export { Drain } from "../Drain.ts"
export { deliveryOf, layerDelivery } from "../EventDelivery.ts"
export { housekeeping, schedules } from "../Housekeeping.ts"
export { JobEnded } from "../JobEnded.ts"
export { layerMemory } from "../MemoryEngine.ts"
export { TaskRunner } from "../TaskRunner.ts"
