/** Requests about decisions. */
import type { Told } from "../OwnersRequests.ts"
import type { RequestsOf } from "../Request.ts"

export const decisions: RequestsOf = ({ kinds, params, series }) => {
  const recurring = { enrichment_id: kinds["recurring"]! }
  const [one, two, three] = series as [Told, Told, Told]
  return {
    listDecisions: [
      { title: "lists what people decided", params: recurring },
      { title: "lists none of another one" },
      { title: "lists one of them", params: recurring, query: "limit=1" }
    ],
    undoDecision: [
      { title: "takes a decision back", params: recurring },
      { title: "does not find it again", params: recurring }
    ],
    updateSeries: [
      { title: "names a series", params: { ...recurring, series_id: one.id }, json: { name: "Bank fee" } },
      { title: "takes its name away", params: { ...recurring, series_id: one.id }, json: { name: null } },
      { title: "needs a name", params: { ...recurring, series_id: one.id }, json: {} },
      { title: "refuses a kind without series", json: { name: "x" } }
    ],
    mergeSeries: [
      { title: "makes one series of two", params: { ...recurring, series_id: one.id }, json: { seriesId: two.id } },
      {
        title: "refuses a series with itself",
        params: { ...recurring, series_id: three.id },
        json: { seriesId: three.id }
      },
      {
        title: "refuses a series that nothing has",
        params: { ...recurring, series_id: three.id },
        json: { seriesId: "ser_x" }
      }
    ],
    splitSeries: [
      {
        title: "takes a record out of a series",
        params: { ...recurring, series_id: three.id },
        json: { recordId: three.recordIds[3] }
      },
      {
        title: "refuses a record that it has not",
        params: { ...recurring, series_id: three.id },
        json: { recordId: params["record_id"] }
      }
    ],
    mergeMerchants: [
      {
        title: "makes one merchant of two",
        params: { enrichment_id: kinds["merchants"]! },
        json: { from: "Blue Heron Cafe", into: "Green Tea House" }
      },
      {
        title: "refuses a merchant with itself",
        params: { enrichment_id: kinds["merchants"]! },
        json: { from: "A", into: "A" }
      },
      { title: "refuses a kind without merchants", json: { from: "A", into: "B" } }
    ]
  }
}
