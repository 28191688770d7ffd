import { exampleIds, exampleTime } from "../../operation/Examples.ts"

export const findingExample = {
  id: exampleIds.finding,
  enrichmentId: exampleIds.enrichment,
  kind: "duplicate_charge",
  status: "open",
  title: "Charged twice: Coffee, 4.80 EUR on 4 March",
  subject: { kind: "transaction", id: exampleIds.transaction },
  data: { otherId: exampleIds.otherTransaction, amount: "-4.80" },
  firstSeenAt: exampleTime,
  lastSeenAt: exampleTime,
  version: 1
}
