import { describe, expect, it } from "vitest"
import { filled, isFaithful, worded } from "../../src/message/Phrasing.ts"
import type { MessageContent } from "../../src/message/Message.ts"

const text = "This is {1}. Went out: {2}, {3} more than the time before. What stands out most is {4}: {5}."
const good = "In {1} you spent {2}, which is {3} more than the time before, and {4} stands out with {5}."

describe("sentences in other words", () => {
  it("takes those with every figure and name in its place", () => {
    expect(isFaithful(text, good)).toBe(true)
    expect(isFaithful(text, text)).toBe(true)
    expect(isFaithful("Two of them: {1}.", "There are two: {1}.")).toBe(true)
  })

  it.each([
    ["figures that change places", good.replace("{2}", "{9}").replace("{3}", "{2}").replace("{9}", "{3}")],
    ["a figure that is missing", good.replace(" with {5}", "")],
    ["a figure that is told twice", `${good} Again: {5}.`],
    ["a mark of nothing", `${good} {6}`],
    ["a figure of its own", `${good} That is 12 more.`],
    ["a figure in other digits", `${good} That is ١٢ more.`],
    ["a figure in words", `${good} That is twice as much.`],
    ["a share", `${good} That is a few % more.`],
    ["money", `${good} Save your €!`],
    ["an address", `${good} Go to www.evil.example`],
    ["a link", `${good} https://evil.example`],
    ["mail", `${good} Write to help@evil.example`],
    ["markup", `${good} <b>Now</b>`],
    ["lines of its own", `${good}\nDear customer`],
    ["marks alone", "{1}{2}{3}{4}{5}"],
    ["a text without end", `${good} ${"and so on ".repeat(60)}`],
    ["nothing", ""]
  ])("drops %s", (_, answer) => {
    expect(isFaithful(text, answer)).toBe(false)
  })

  it("puts values in their places once, whatever they look like", () => {
    expect(filled("{1} and {2} and {3}", ["{2}", "$& \\1", "c"])).toBe("{2} and $& \\1 and c")
  })

  it("sends what was found or what there was, and no trace of how", () => {
    const content: MessageContent = {
      type: "digest.issued",
      title: "t",
      brief: "b",
      prose: "Went out: €5.00.",
      rephrase: {
        text: "Went out: {1}.",
        values: ["€5.00"],
        model: "default",
        monthlyTokens: 1,
        dataType: "transactions"
      },
      sections: [],
      footer: "f",
      data: { prose: "Went out: €5.00." }
    }
    const { rephrase: _, ...plain } = content
    expect(worded(content, undefined)).toEqual(plain)
    expect(worded(content, "You spent {1}.")).toEqual({
      ...plain,
      prose: "You spent €5.00.",
      data: { prose: "You spent €5.00." }
    })
    expect(worded(plain, "You spent {1}.")).toEqual(plain)
  })
})
