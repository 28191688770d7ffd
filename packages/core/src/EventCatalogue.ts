/** Every type of event that the kernel writes, for subscriptions and the reference. */
import { bankEventTypes } from "./bank/BankEvents.ts"
import { aiEventTypes } from "./enrichment/kinds/ai/AiEvents.ts"
import { digestEventTypes } from "./enrichment/kinds/digest/DigestEvents.ts"
import { alertEventTypes } from "./enrichment/kinds/alert/AlertEvents.ts"
import { budgetEventTypes } from "./enrichment/kinds/budget/Thresholds.ts"
import { feeEventTypes } from "./enrichment/kinds/fees/FeeEvents.ts"
import { transferEventTypes } from "./enrichment/kinds/transfer/TransferEvents.ts"
import { monitorEventTypes } from "./enrichment/kinds/monitor/Cases.ts"
import { splitEventTypes } from "./enrichment/kinds/split/SplitEvents.ts"
import { enrichmentEventTypes } from "./enrichment/EnrichmentEvents.ts"
import { findingEventTypes } from "./enrichment/FindingEvents.ts"
import { memoryEventTypes } from "./enrichment/kinds/memory/MemoryEvents.ts"
import { recurringEventTypes } from "./enrichment/kinds/recurring/RecurringEvents.ts"
import { anomalyEventTypes } from "./enrichment/kinds/anomaly/AnomalyEvents.ts"
import type { EventType } from "./event/EventType.ts"
import { feedEventTypes } from "./feed/FeedEvents.ts"
import { jobEventTypes } from "./job/JobEvents.ts"
import { messageEventTypes } from "./message/MessageEvents.ts"
import { recordEventTypes } from "./record/RecordEvents.ts"

/** By noun, in the order of the reference. */
export const eventCatalogue: ReadonlyArray<Pick<EventType<never>, "type" | "subject" | "summary" | "outbound">> = [
  ...bankEventTypes,
  ...recordEventTypes,
  ...feedEventTypes,
  ...messageEventTypes,
  ...alertEventTypes,
  ...digestEventTypes,
  ...jobEventTypes,
  ...enrichmentEventTypes,
  ...findingEventTypes,
  ...budgetEventTypes,
  ...memoryEventTypes,
  ...anomalyEventTypes,
  ...recurringEventTypes,
  ...transferEventTypes,
  ...monitorEventTypes,
  ...aiEventTypes,
  ...splitEventTypes,
  ...feeEventTypes
]
