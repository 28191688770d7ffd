/** Requests about findings. */
import type { RequestsOf } from "../Request.ts"

export const findings: RequestsOf = ({ kinds }) => {
  const enrichment = { enrichment_id: kinds["anomaly"]! }
  return {
    listFindings: [
      { title: "lists findings", params: enrichment },
      { title: "narrows to those that are open", params: enrichment, query: "status=open&kind=anomaly" },
      { title: "narrows to days", params: enrichment, query: "from=2020-01-01&to=2020-01-02" },
      { title: "lists none of one that finds nothing" }
    ],
    updateFinding: [
      { title: "dismisses a finding", params: enrichment, json: { status: "dismissed", note: "Two coffees" } },
      { title: "opens it again", params: enrichment, json: { status: "open" } },
      { title: "needs a status", params: enrichment, json: {} },
      { title: "does not find it under another enrichment", json: { status: "open" } },
      { title: "refuses a viewer", params: enrichment, json: { status: "dismissed" }, as: "person-viewer" }
    ]
  }
}
