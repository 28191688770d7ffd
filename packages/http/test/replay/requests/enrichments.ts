/** Requests about enrichments. */
import { enrichments as made } from "../Enrichments.ts"
import type { RequestsOf } from "../Request.ts"

const named = (name: string, more: object) => ({ name, dataType: "transactions", ...more })

export const enrichments: RequestsOf = (scene) => {
  const { kinds, params } = scene
  return {
    listEnrichments: [
      { title: "lists the enrichments" },
      { title: "narrows to a type and a feed", query: `type=rule&feedId=${params["feed_id"]}` },
      { title: "narrows to those that are off", query: "enabled=false" },
      { title: "narrows to a type of data", query: "dataType=loans" }
    ],
    createEnrichment: [
      {
        title: "makes a rule",
        json: named("Coffee", { emoji: "☕", order: 5, feedIds: [params["feed_id"]], ...made.rule })
      },
      { title: "makes one that is off", json: named("Off", { enabled: false, ...made.rule }) },
      {
        title: "makes one that works on the whole history",
        json: named("All", { allFeeds: true, apply: "history", ...made.rule })
      },
      { title: "needs a name, a type and a type of data", json: {} },
      { title: "needs its block", json: named("Bare", { type: "rule" }) },
      { title: "refuses a second block", json: named("Two", { ...made.rule, budgetConfig: {} }) },
      {
        title: "refuses a condition on a field that there is none of",
        json: named("Wrong", {
          type: "rule",
          ruleConfig: {
            rules: [
              {
                conditions: { logic: "or", conditions: [{ field: "nothing", operator: "equals", value: "x" }] },
                action: { field: "id", value: "x" }
              }
            ]
          }
        })
      },
      {
        title: "refuses feeds together with all feeds",
        json: named("Both", { allFeeds: true, feedIds: [params["feed_id"]], ...made.rule })
      },
      {
        title: "refuses a feed that nothing has",
        json: named("None", { feedIds: ["feed_00000000000000000000000000"], ...made.rule })
      },
      {
        title: "refuses a type of data that the kind is not for",
        json: { ...named("Loans", made.budget), dataType: "loans" }
      },
      {
        title: "makes an alert that tells people, off",
        json: named("Alert", {
          type: "alert",
          enabled: false,
          alertConfig: {
            conditions: { logic: "or", conditions: [{ field: "amount", operator: "lessThan", value: "-500" }] },
            destinations: [{ type: "webhook", url: "https://hooks.example/secret" }]
          }
        })
      },
      { title: "refuses a viewer", json: named("Viewer's", made.rule), as: "person-viewer" },
      { title: "is done by an editor", json: named("Editor's", made.rule), as: "person-editor" }
    ],
    getEnrichment: Object.entries(kinds).map(([name, id]) => ({
      title: `reads the one called ${name}`,
      params: { enrichment_id: id }
    })),
    updateEnrichment: [
      { title: "renames one", json: { name: "Tea", emoji: "🍵" } },
      { title: "turns it off", json: { enabled: false }, headers: { "if-match": '"2"' } },
      { title: "refuses a version that it no longer has", json: { name: "Late" }, headers: { "if-match": '"1"' } },
      { title: "replaces its block", json: { ...made.rule, apply: "history" } },
      { title: "refuses another type", json: { type: "budget" } },
      { title: "refuses a block that is wrong", json: { ruleConfig: { rules: "none" } } }
    ],
    deleteEnrichment: [
      { title: "deletes one", query: "apply=history" },
      { title: "does not find it again" },
      {
        title: "deletes another at the version that it has",
        params: { enrichment_id: kinds["merchants"]! },
        headers: { "if-match": '"1"' }
      }
    ]
  }
}
