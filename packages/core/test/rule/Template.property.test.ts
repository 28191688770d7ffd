import { Seeded } from "@millrace/testing/model"
import { describe, expect, it } from "vitest"
import { Cells } from "../../src/filter/Cells.ts"
import { compileTemplate, parseTemplate } from "../../src/rule/Template.ts"
import * as CalendarDate from "../../src/shared/CalendarDate.ts"
import { limits } from "../../src/shared/Limits.ts"
import { Work } from "../../src/shared/Work.ts"

const today = CalendarDate.make("2026-05-31")
const pieces = [" ", "\u00a0", "a", "zz ", "\u{1f600}", "e\u0301", "\n", "x".repeat(997), " ".repeat(1_500)]

/** All of it is rendered, and cut afterwards. */
const naive = (template: string, fields: Readonly<Record<string, string>>): string => {
  const whole = parseTemplate(template)
    .map((part) => ("text" in part ? part.text : (fields[part.field] ?? "")))
    .join("")
  return [...whole.trim()].slice(0, limits.textLength).join("").trimEnd()
}

describe("a template", () => {
  it("renders what rendering all of it and cutting it afterwards would, and counts little more than it keeps", () => {
    const random = new Seeded(11)
    for (let n = 0; n < 3_000; n++) {
      const text = (most: number) => random.list(0, most, () => random.pick(pieces)).join("")
      const fields = { one: text(8), two: text(3) }
      const template = random
        .list(1, 9, () => random.pick(["{{one}}", "{{ two }}", " ", "-", "\\{{", "{{none}}"]))
        .join("")
      const cells = new Cells()
      const render = compileTemplate(template, cells)
      const work = new Work()
      cells.load(fields, { today, work })
      expect(render(cells), JSON.stringify([template, fields])).toBe(naive(template, fields))
    }
    const cells = new Cells()
    const render = compileTemplate("{{one}}".repeat(250), cells)
    const work = new Work()
    cells.load({ one: "y".repeat(30_000) }, { today, work })
    expect(render(cells)).toHaveLength(limits.textLength)
    expect(work.spent).toBeLessThanOrEqual(3 * limits.textLength)
  })
})
