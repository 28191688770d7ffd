/** Every type of event that the kernel writes, for subscriptions and the reference. */
import { bankEventTypes } from "./bank/BankEvents.ts"
import { aiEventTypes } from "./enrichment/kinds/ai/AiEvents.ts"
import { digestEvents } from "./enrichment/kinds/digest/DigestEvents.ts"
import { alertEvents } from "./enrichment/kinds/alert/AlertEvents.ts"
import { budgetEvents } from "./enrichment/kinds/budget/Thresholds.ts"
import { feeEventTypes } from "./enrichment/kinds/fees/FeeEvents.ts"
import { transferEvents } from "./enrichment/kinds/transfer/TransferEvents.ts"
import { monitorEvents } from "./enrichment/kinds/monitor/Cases.ts"
import { splitEventTypes } from "./enrichment/kinds/split/SplitEvents.ts"
import { enrichmentEventTypes } from "./enrichment/EnrichmentEvents.ts"
import { findingEvents } from "./enrichment/FindingEvents.ts"
import { memoryEvents } from "./enrichment/kinds/memory/MemoryEvents.ts"
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
  ...Object.values(alertEvents),
  ...Object.values(digestEvents),
  ...jobEventTypes,
  ...enrichmentEventTypes,
  ...Object.values(findingEvents),
  ...Object.values(budgetEvents),
  ...Object.values(memoryEvents),
  ...anomalyEventTypes,
  ...recurringEventTypes,
  ...Object.values(transferEvents),
  ...Object.values(monitorEvents),
  ...aiEventTypes,
  ...splitEventTypes,
  ...feeEventTypes
]
