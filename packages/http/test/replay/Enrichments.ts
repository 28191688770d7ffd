/** One enrichment of each kind that leaves something to be asked for, without its name. */
export const enrichments = {
  rule: {
    type: "rule",
    ruleConfig: {
      rules: [
        {
          conditions: { logic: "or", conditions: [{ field: "description", operator: "contains", value: "tea" }] },
          action: { field: "category", value: "FOOD_AND_DRINK" }
        }
      ]
    }
  },
  filter: {
    type: "filter",
    filterConfig: {
      conditions: { logic: "or", conditions: [{ field: "description", operator: "contains", value: "garage" }] },
      reason: "No garages"
    }
  },
  transfers: { type: "transfer_match", transferMatchConfig: {} },
  recurring: { type: "recurring", recurringConfig: {} },
  anomaly: { type: "anomaly", anomalyConfig: {} },
  budget: {
    type: "budget",
    budgetConfig: {
      lines: [
        {
          key: "home",
          name: "Home",
          match: { logic: "or", conditions: [{ field: "description", operator: "contains", value: "rent" }] },
          amount: "1000"
        }
      ]
    }
  },
  merchants: { type: "ai_merchant", aiMerchantConfig: {} }
} as const
