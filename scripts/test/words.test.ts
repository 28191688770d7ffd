import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { filesOf, turns, wordsIn } from "../words.ts"

const inFile = (text: string) => wordsIn({ path: "a.ts", text })

describe("turns of phrase", () => {
  it("are in no source and in no document", () => {
    expect(filesOf(fileURLToPath(new URL("../..", import.meta.url))).flatMap(wordsIn)).toEqual([])
  })

  it("are each refused with what to say instead", () => {
    for (const { say, turn } of turns) {
      expect(inFile(`/** The row ${turn} a run. */`)).toContain(`a.ts:1: "${turn}": ${say}`)
    }
  })

  it("are found over two lines of a comment, and with a capital letter", () => {
    expect(inFile("/**\n * The caller is\n * told.\n */").map((fault) => fault.split(":", 2))).toEqual([["a.ts", "2"]])
    expect(inFile("// Whoever asks gets it.\n")).toHaveLength(1)
  })

  it("leaves plain text and names of the code alone", () => {
    expect(inFile("/** The caller learns the state of the run. */\nconst retryAnew = isAnewest(--anew)\n")).toEqual([])
  })
})
