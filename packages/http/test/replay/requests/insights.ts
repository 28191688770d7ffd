/** Requests about insights. */
import type { RequestsOf } from "../Request.ts"

export const insights: RequestsOf = ({ kinds }) => ({
  listBudgetPeriods: [
    { title: "lists the periods of a budget", params: { enrichment_id: kinds["budget"]! }, query: "from=2026-02-01" },
    { title: "tells that another kind has none" }
  ],
  listSeries: [
    { title: "lists the series of payments", params: { enrichment_id: kinds["recurring"]! } },
    { title: "tells that another kind has none" }
  ],
  listLinks: [
    { title: "lists links between records", params: { enrichment_id: kinds["transfers"]! }, query: "limit=2" },
    { title: "narrows to a state", params: { enrichment_id: kinds["transfers"]! }, query: "state=suggested" },
    { title: "tells that another kind has none" }
  ],
  listWithheld: [
    { title: "lists rows that are kept back" },
    { title: "narrows to those that wait", query: "verdict=hold" }
  ]
})
