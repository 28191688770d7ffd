/** Requests about previews. */
import type { RequestsOf } from "../Request.ts"

export const previews: RequestsOf = (scene, world) => {
  const { kinds } = scene
  const off = { kind: "enable", enrichmentId: kinds["rule"], enabled: false }
  return {
    previewEnrichment: [
      {
        title: "shows what enrichments do to a record",
        json: { records: [{ date: "2026-03-04", description: "GREEN TEA HOUSE", amount: -4.8 }] }
      },
      {
        title: "keeps fields that it does not know",
        json: { records: [{ description: "x", amount: "1.10", own: { nested: true }, notes: null }] }
      },
      { title: "needs records", json: {} },
      { title: "refuses a list without records", json: { records: [] } }
    ],
    simulateEnrichments: [
      { title: "shows what another setting does", json: { changes: [off], from: "2026-03-01" } },
      {
        title: "shows what a new rule does",
        json: {
          changes: [
            {
              kind: "create",
              enrichment: {
                name: "A",
                type: "rule",
                dataType: "transactions",
                allFeeds: true,
                ruleConfig: {
                  rules: [
                    {
                      conditions: {
                        logic: "or",
                        conditions: [{ field: "description", operator: "contains", value: "rent" }]
                      },
                      action: { field: "category", value: "RENT" }
                    }
                  ]
                }
              }
            }
          ],
          from: "2026-03-01",
          feedIds: [scene.params["feed_id"]]
        }
      },
      { title: "needs changes", json: {} },
      { title: "refuses a change of no kind", json: { changes: [{ kind: "none" }] } },
      {
        title: "refuses an enrichment that nothing has",
        json: { changes: [{ ...off, enrichmentId: "enr_00000000000000000000000000" }] }
      },
      async () => {
        world.atOnce.records = 0
        return { title: "says where a long one is", json: { changes: [off] } }
      }
    ],
    getSimulation: [{ title: "reads a long one" }],
    cancelSimulation: [{ title: "cancels one that has ended" }]
  }
}
