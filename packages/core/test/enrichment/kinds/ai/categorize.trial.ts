import { when, type Trial } from "../Trial.ts"

export const trial: Trial = {
  type: "ai_categorize",
  good: [
    {},
    { targetField: "group", abstainBelow: 0.5 },
    {
      categories: [
        { id: "food", label: "Food", seeds: ["FOOD_AND_DRINK"] },
        { id: "trips", label: "Trips and tours", description: "Away from home", seeds: ["TRAVEL", "TRANSPORTATION"] },
        { id: "pay", label: "Pay", seeds: ["INCOME"] }
      ],
      when: when("amount", "gt", "0")
    }
  ],
  refused: [
    [{ model: "default" }, "model"],
    [{ abstainBelow: 1 }, "abstainBelow"],
    [{ categories: [{ id: "a", label: "A" }] }, "categories"],
    [{ categories: ["a", "a"].map((id) => ({ id, label: id })) }, "categories[1].id"],
    [
      {
        categories: ["a", "b"]
          .map((id) => ({ id, label: id, seeds: ["NONE"] }))
          .slice(0, 2)
          .with(1, { id: "b", label: "b", seeds: [] })
      },
      "categories[0].seeds[0]"
    ],
    [{ targetField: "transfer.kind" }, "targetField"],
    [{ targetField: "amount" }, "targetField"],
    [{ monthlyTokens: 0.5 }, "monthlyTokens"]
  ]
}
